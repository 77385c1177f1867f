import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { inCheckout } from './bundle-inputs.ts';

/** Installs the agents where they are missing or not those of the lock file, then plays the stories. */
const folder = inCheckout('test/agents');
const lock = `${folder}/package-lock.json`;
const installed = `${folder}/node_modules/.package-lock.json`;
const isInstalled = existsSync(installed) && statSync(installed).mtimeMs > statSync(lock).mtimeMs;

if (!isInstalled)
  run('npm', ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund']);
const vitest = inCheckout('node_modules/vitest/vitest.mjs');
const config = `${folder}/vitest.config.ts`;
run(process.execPath, [vitest, 'run', '--config', config, ...process.argv.slice(2)]);

function run(program: string, args: readonly string[]): void {
  const { status } = spawnSync(program, args, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
