/*
 * Tests that try kills, faults, damages and random histories. `npm test` runs some of them, with few tries;
 * `npm run test:campaigns` runs all of them, with these lengths: 2,000 sequences, 500 damages of a store, 300
 * repairs and 600 damages of its log, 3,000 looks at one that is written to, 300 kills at random and one at each
 * call, a fault at each call, 600 errors that last (there are 1,300), power cuts, every moment of a take-back,
 * 300 kills of an execution, 1,600 saves, 300 commands beside busy writers.
 */
export const CAMPAIGN_LENGTHS: Readonly<Record<string, string>> = {
  SAVEPOINT_PROPERTY_RUNS: '2000',
  SAVEPOINT_DAMAGES: '500',
  SAVEPOINT_REPAIRS: '300',
  SAVEPOINT_LOG_DAMAGES: '300',
  SAVEPOINT_LOOKS: '3000',
  SAVEPOINT_KILLS: '10000',
  SAVEPOINT_RANDOM_KILLS: '300',
  SAVEPOINT_FAULT_RUNS: 'each',
  SAVEPOINT_LASTING_ERRORS: '600',
  SAVEPOINT_TAKE_BACK_KILLS: '1000',
  SAVEPOINT_CRASH_RUNS: '60',
  SAVEPOINT_KILLS_BEFORE_CUTS: '10',
  SAVEPOINT_EDIT_CRASHES: '60',
  SAVEPOINT_EXECUTION_KILLS: '300',
  SAVEPOINT_STORAGE_SAVES: '200',
  SAVEPOINT_RUNTIME_COMMANDS: '300',
};

/** Tests that `npm test` has no time for. */
export const CAMPAIGNS_ONLY: readonly string[] = filesOf('crash', [
  'fault-capture',
  'fault-recovery',
  'fault-rewind',
  'full-disk',
  'kill-capture',
  'kill-recovery',
  'kill-take-back',
  'person-edit',
  'power-cut',
  'power-cut-documents',
  'random-kills',
]);

/** All tests of the campaigns. */
export const CAMPAIGNS: readonly string[] = [
  ...CAMPAIGNS_ONLY,
  ...filesOf('crash', ['kill-execution', 'kill-rewind', 'lasting-errors']),
  ...filesOf('property', [
    'folders',
    'ignored',
    'lines',
    'retention',
    'shell',
    'whole-files',
    'windows',
  ]),
  ...filesOf('fsck', ['beside-writers', 'fsck', 'log', 'repair']),
  ...filesOf('concurrency', ['storages']),
  ...filesOf('e2e', ['bin']),
];

function filesOf(folder: string, names: readonly string[]): string[] {
  return names.map((name) => `test/${folder}/${name}.test.ts`);
}
