import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { inCheckout } from './bundle-inputs.ts';

// Installs the agents where those of the lock file are missing, then plays the stories.

install('test/agents');
if (process.env.SAVEPOINT_TEST_MORE_AGENTS !== undefined) install('test/agents/more');
const vitest = inCheckout('node_modules/vitest/vitest.mjs');
const config = inCheckout('test/agents/vitest.config.ts');
run(process.execPath, [vitest, 'run', '--config', config, ...process.argv.slice(2)], '');

function install(folder: string): void {
  const lock = inCheckout(`${folder}/package-lock.json`);
  // A copy of the lock file that was installed last.
  const installed = inCheckout(`${folder}/node_modules/.lock-file`);
  if (existsSync(installed) && readFileSync(installed).equals(readFileSync(lock))) return;
  run('npm', ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'], folder);
  copyFileSync(lock, installed);
}

function run(program: string, args: readonly string[], folder: string): void {
  const { status } = spawnSync(program, args, { stdio: 'inherit', cwd: inCheckout(folder) });
  if (status !== 0) process.exit(status ?? 1);
}
