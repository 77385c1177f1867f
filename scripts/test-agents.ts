import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { keepTable } from './agents-table.ts';
import { inCheckout } from './bundle-inputs.ts';

// Installs the agents where those of the lock file are missing, then plays the stories. The table of agents in the README
// must say what they show; `--write` writes it.

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

function run(program: string, args: readonly string[], cwd: string = inCheckout('')): void {
  const { status } = spawnSync(program, args, { stdio: 'inherit', cwd });
  if (status !== 0) process.exit(status ?? 1);
}
