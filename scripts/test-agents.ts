import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { keepTable } from './agents-table.ts';
import { inCheckout } from './bundle-inputs.ts';

// Installs the agents where those of the lock file are missing, then plays the stories. The table of agents in the README
// must say what they show; `--write` writes it.

const { SAVEPOINT_TEST_AGENTS: some, SAVEPOINT_TEST_MORE_AGENTS: more } = process.env;
install('test/agents');
if (more !== undefined) install('test/agents/more');
const vitest = inCheckout('node_modules/vitest/vitest.mjs');
const config = inCheckout('test/agents/vitest.config.ts');
const words = process.argv.slice(2);
const chosen = words.filter((word) => word !== '--write');
const results = inCheckout('test/agents/node_modules/.results.json');
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
run(process.execPath, [vitest, 'run', '--config', config, ...reporters, ...chosen], '');
const isWhole = chosen.length === 0 && some === undefined && more === undefined;
if (isWhole && !keepTable(results, words.includes('--write'))) {
  console.error(
    'README.md shows another table of agents; write it with: npm run test:agents -- --write',
  );
  process.exitCode = 1;
}

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
