import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

// What `npm test` has no time for: 300 kills, a fault at each call, every moment of a take-back, 1,600 saves.
const LENGTHS = {
  SAVEPOINT_RANDOM_KILLS: '300',
  SAVEPOINT_FAULT_RUNS: 'each',
  SAVEPOINT_TAKE_BACK_KILLS: '1000',
  SAVEPOINT_EDIT_CRASHES: '60',
  SAVEPOINT_EXECUTION_KILLS: '300',
  SAVEPOINT_STORAGE_SAVES: '200',
};
const TESTS = [
  'crash/random-kills',
  'crash/fault-capture',
  'crash/fault-rewind',
  'crash/kill-take-back',
  'crash/person-edit',
  'crash/kill-execution',
  'concurrency/storages',
];

const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
const files = TESTS.map((name) => `test/${name}.test.ts`);
const { status } = spawnSync(process.execPath, [vitest, 'run', ...files], {
  stdio: 'inherit',
  // What the caller sets counts.
  env: { ...LENGTHS, ...process.env },
});
process.exitCode = status ?? 1;
