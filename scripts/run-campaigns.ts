import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

// What `npm test` has no time for: 300 kills, a fault at each call, every moment of a take-back.
const LENGTHS = {
  SAVEPOINT_RANDOM_KILLS: '300',
  SAVEPOINT_FAULT_RUNS: 'each',
  SAVEPOINT_TAKE_BACK_KILLS: '1000',
  SAVEPOINT_EDIT_CRASHES: '60',
  SAVEPOINT_EXECUTION_KILLS: '300',
};
const TESTS = [
  'random-kills',
  'fault-capture',
  'fault-rewind',
  'kill-take-back',
  'person-edit',
  'kill-execution',
];

const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
const files = TESTS.map((name) => `test/crash/${name}.test.ts`);
const { status } = spawnSync(process.execPath, [vitest, 'run', ...files], {
  stdio: 'inherit',
  // What the caller sets counts.
  env: { ...LENGTHS, ...process.env },
});
process.exitCode = status ?? 1;
