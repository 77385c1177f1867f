import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

// What `npm test` has no time for: 2,000 sequences, 500 damages of a store and 600 of its log, 3,000 looks at one
// that is written to, 300 kills at random and one at each call, a fault at each call, 400 errors that last (there
// are 1,300), power cuts, every moment of a take-back, 300 kills of an execution, 1,600 saves, 300
// commands beside busy writers.
const LENGTHS = {
  SAVEPOINT_PROPERTY_RUNS: '2000',
  SAVEPOINT_DAMAGES: '500',
  SAVEPOINT_LOG_DAMAGES: '300',
  SAVEPOINT_LOOKS: '3000',
  SAVEPOINT_KILLS: '10000',
  SAVEPOINT_RANDOM_KILLS: '300',
  SAVEPOINT_FAULT_RUNS: 'each',
  SAVEPOINT_LASTING_ERRORS: '400',
  SAVEPOINT_TAKE_BACK_KILLS: '1000',
  SAVEPOINT_CRASH_RUNS: '60',
  SAVEPOINT_KILLS_BEFORE_CUTS: '10',
  SAVEPOINT_EDIT_CRASHES: '60',
  SAVEPOINT_EXECUTION_KILLS: '300',
  SAVEPOINT_STORAGE_SAVES: '200',
  SAVEPOINT_RUNTIME_COMMANDS: '300',
};
const PROPERTIES = 'folders ignored lines retention shell whole-files windows';
const CRASHES =
  'random-kills fault-capture fault-rewind lasting-errors kill-capture kill-rewind kill-take-back person-edit power-cut power-cut-documents kill-execution';
const FILES = [
  ...PROPERTIES.split(' ').map((name) => `property/${name}`),
  ...CRASHES.split(' ').map((name) => `crash/${name}`),
  'fsck/fsck',
  'fsck/log',
  'fsck/beside-writers',
  'concurrency/storages',
  'e2e/bin',
];

const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
const files = FILES.map((name) => `test/${name}.test.ts`);
const { status } = spawnSync(process.execPath, [vitest, 'run', ...files], {
  stdio: 'inherit',
  // What the caller sets counts.
  env: { ...LENGTHS, ...process.env },
});
process.exitCode = status ?? 1;
