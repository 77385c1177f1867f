import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { inCheckout } from './bundle-inputs.ts';

// Installs the agents where those of the lock file are missing, then plays the stories.

const folder = inCheckout('test/agents');
const lock = `${folder}/package-lock.json`;
/** A copy of the lock file that was installed last. */
const installed = `${folder}/node_modules/.lock-file`;

if (!existsSync(installed) || !readFileSync(installed).equals(readFileSync(lock))) {
  run('npm', ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'], folder);
  copyFileSync(lock, installed);
}
const vitest = inCheckout('node_modules/vitest/vitest.mjs');
const config = `${folder}/vitest.config.ts`;
run(process.execPath, [vitest, 'run', '--config', config, ...process.argv.slice(2)]);

function run(program: string, args: readonly string[], cwd: string = inCheckout('')): void {
  const { status } = spawnSync(program, args, { stdio: 'inherit', cwd });
  if (status !== 0) process.exit(status ?? 1);
}
