import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { keepTable } from './agents-table.ts';
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
const words = process.argv.slice(2);
const chosen = words.filter((word) => word !== '--write');
const results = `${folder}/node_modules/.results.json`;
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
run(process.execPath, [vitest, 'run', '--config', config, ...reporters, ...chosen]);
const isWhole = chosen.length === 0 && process.env.SAVEPOINT_TEST_AGENTS === undefined;
if (isWhole && !keepTable(results, words.includes('--write'))) {
  console.error(
    'README.md shows another table of agents; write it with: npm run test:agents -- --write',
  );
  process.exitCode = 1;
}

function run(program: string, args: readonly string[]): void {
  const { status } = spawnSync(program, args, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
