/*
 * Tests that try kills, faults, damages, races and random histories. `npm test` runs some of them, with few tries;
 * `npm run test:campaigns` runs all of them, with these lengths. 'each' and very large numbers stand for all that
 * there are.
 */
export const CAMPAIGN_LENGTHS: Readonly<Record<string, string>> = {
  SAVEPOINT_CONCURRENT_OPERATIONS: '200',
  SAVEPOINT_CRASH_RUNS: '60',
  SAVEPOINT_DAMAGES: '500',
  SAVEPOINT_EDIT_CRASHES: '60',
  SAVEPOINT_EXECUTION_KILLS: '300',
  SAVEPOINT_FAULT_RUNS: 'each',
  SAVEPOINT_KILLS: '10000',
  SAVEPOINT_KILLS_BEFORE_CUTS: '10',
  SAVEPOINT_LASTING_ERRORS: '600',
  SAVEPOINT_LOG_DAMAGES: '300',
  SAVEPOINT_LOOKS: '3000',
  SAVEPOINT_MOVE_KILLS: '60',
  SAVEPOINT_PROPERTY_RUNS: '2000',
  SAVEPOINT_PURGE_KILLS: '40',
  SAVEPOINT_RACE_TRIES: '20000',
  SAVEPOINT_RANDOM_KILLS: '300',
  SAVEPOINT_REPAIRS: '300',
  SAVEPOINT_RUNTIME_COMMANDS: '300',
  SAVEPOINT_SERVER_KILLS: '100',
  SAVEPOINT_SERVER_OPERATIONS: '1000',
  SAVEPOINT_STORAGE_SAVES: '200',
  SAVEPOINT_STORE_KILLS: '60',
  SAVEPOINT_TAKE_BACK_KILLS: '1000',
  SAVEPOINT_WHY_HISTORIES: '500',
};

/** Tests that `npm test` has no time for. */
export const CAMPAIGNS_ONLY: readonly string[] = [
  ...filesOf('crash', [
    'fault-capture',
    'fault-recovery',
    'fault-rewind',
    'full-disk',
    'kill-capture',
    'kill-recovery',
    'kill-take-back',
    'lasting-errors',
    'person-edit',
    'power-cut',
    'power-cut-documents',
    'random-kills',
  ]),
  ...filesOf('replica', ['killed', 'many-turns']),
  'scripts/record-two-machines.test.ts',
  'src/store/sqlite/crash.test.ts',
];

/** All tests of the campaigns. */
export const CAMPAIGNS: readonly string[] = [
  ...CAMPAIGNS_ONLY,
  ...filesOf('crash', ['few-descriptors', 'kill-execution', 'kill-rewind', 'server-gone']),
  ...filesOf('property', [
    'folders',
    'hunks',
    'ignore/against-git',
    'ignored',
    'lines',
    'postgres',
    'retention',
    'scan/random-trees',
    'shell',
    'storages',
    'transfer',
    'whole-files',
    'why/why',
    'windows',
  ]),
  ...filesOf('fsck', ['beside-writers', 'fsck', 'log', 'repair']),
  ...filesOf('concurrency', ['eight-processes', 'storages']),
  ...filesOf('hostile', ['swap-race']),
  ...filesOf('purge', ['purge-kill']),
  ...filesOf('e2e', ['bin', 'cli-store-move', 'hook-server-away']),
  ...filesOf('web', ['accessible', 'review']),
  // Properties of single modules.
  'src/model/manifest.test.ts',
  'src/model/value/value.test.ts',
  'src/plan/line-diff.test.ts',
  'src/plan/merge.test.ts',
  'src/plan/unified-diff.test.ts',
  'src/store/documents/json/file-name.test.ts',
  'src/store/parts/parts.test.ts',
  // The whole suites, of which `npm test` takes a sample.
  'src/store/postgres/postgres-storage.test.ts',
  'src/store/postgres/postgres-store.test.ts',
];

function filesOf(folder: string, names: readonly string[]): string[] {
  return names.map((name) => `test/${folder}/${name}.test.ts`);
}
