import type { Kind } from '../../model/check.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import {
  type Call,
  COMMON_OPTIONS,
  type Command,
  flag,
  option,
  unknownSubcommand,
} from '../command.ts';
import type { ExitCode } from '../exit-codes.ts';
import { INCLUDE_SHARED, LIMIT_OPTION } from '../options.ts';
import { PAGER_OPTIONS } from '../pager.ts';

const VERBS = ['list', 'show', 'diff', 'resume', 'rollback'] as const;
type Verb = (typeof VERBS)[number];

export const executions: Command = {
  name: 'executions',
  arguments: '[list | show ID | diff ID [STEP [STEP2]] | resume ID | rollback ID --to STEP]',
  summary: 'programs that work in steps: where each stands, and the way back to a step',
  details:
    'An execution is a run of steps with state: durable steps (`savepoint.execution`), or checkpoints that\n' +
    'a program keeps in the project (`ExecutionCheckpoints`). `list` shows all of both kinds, `show` the\n' +
    'steps of one with every attempt, `diff` what STEP did to its state (from STEP to STEP2 with two, all of\n' +
    'it with none). `resume` takes back what a step left in files that was killed or failed, checks that\n' +
    'the files are as the steps left them, and says where the program will go on; it cannot run the\n' +
    'program itself. `rollback` takes files and state back to after STEP, which is a number from 0 on, a\n' +
    'name, or `beginning`. What steps have declared as impossible to undo is named first.',
  options: {
    to: option('STEP', 'rollback: the last step to keep; `beginning` for none'),
    files: flag('diff: also what the steps did to files'),
    stat: flag('diff: only how many lines changed in which file'),
    kind: option(
      'KIND',
      'steps or checkpoints, where executions of both kinds have that id; list: only those',
      ['steps', 'checkpoints'],
    ),
    'dry-run': flag('resume, rollback: show what would be done, and do nothing'),
    yes: flag('resume, rollback: do not ask'),
    'accept-effects': flag('rollback: go ahead although what steps declared stays done'),
    'on-conflict': option(
      'WHAT',
      'resume, rollback: where somebody else changed a file too, keep it, restore it, or fail (default)',
      ['keep', 'restore', 'fail'],
    ),
    'include-shared': { ...INCLUDE_SHARED, help: `resume, rollback: ${INCLUDE_SHARED.help}` },
    limit: { ...LIMIT_OPTION, help: `list: ${LIMIT_OPTION.help}` },
    ...PAGER_OPTIONS,
  },
  examples: [
    ['savepoint executions', 'what there is, and where it stands'],
    ['savepoint executions show exec-1', 'its steps: attempts, errors, files, effects'],
    ['savepoint executions diff exec-1 2 --files', 'what step 2 did to state and files'],
    ['savepoint executions resume exec-1', 'make it ready to go on after a crash'],
    [
      'savepoint executions rollback exec-1 --to 1 --dry-run',
      'what going back to after step 1 would do',
    ],
  ],
  completes: [VERBS, 'execution'],
  json: Object.fromEntries(
    VERBS.map((verb) => [`executions-${verb}`, async () => (await TABLE[verb].load()).printed]),
  ),
  run: async (call) => {
    const [word = 'list', ...words] = [...call.args, ...call.rest];
    const verb = VERBS.find((one) => one === word);
    if (verb === undefined) throw unknownSubcommand('executions', word, VERBS, KNOWN);
    const { load, most, options } = TABLE[verb];
    refuseOptions(call, verb, options);
    const [extra] = words.slice(most);
    if (extra !== undefined) throw new UsageError(`unexpected argument "${extra}"`, SEE);
    if (words.length === 0 && verb !== 'list') {
      throw new UsageError('which execution?', 'see what there is with: savepoint executions list');
    }
    return (await load()).run(call, words);
  },
};

export interface Subcommand {
  run(call: Call, words: readonly string[]): Promise<ExitCode>;
  /** For the published schema. */
  readonly printed: Kind<unknown>;
}

interface Entry {
  /** Loaded when it is needed. */
  readonly load: () => Promise<Subcommand>;
  readonly most: number;
  readonly options: readonly string[];
}

const BACK = ['kind', 'dry-run', 'yes', 'on-conflict', 'include-shared'];

const TABLE: Readonly<Record<Verb, Entry>> = {
  list: {
    load: async () => (await import('../executions/list.ts')).list,
    most: 0,
    options: ['kind', 'limit', 'no-pager'],
  },
  show: {
    load: async () => (await import('../executions/show.ts')).show,
    most: 1,
    options: ['kind', 'no-pager'],
  },
  diff: {
    load: async () => (await import('../executions/diff.ts')).diff,
    most: 3,
    options: ['kind', 'files', 'stat', 'no-pager'],
  },
  resume: {
    load: async () => (await import('../executions/back.ts')).resume,
    most: 1,
    options: BACK,
  },
  rollback: {
    load: async () => (await import('../executions/back.ts')).rollback,
    most: 1,
    options: [...BACK, 'to', 'accept-effects'],
  },
};

const SEE = 'see: savepoint executions --help';
const KNOWN = 'list, show, diff, resume or rollback';

/** An option that the subcommand does not know is a mistake, and is not passed over. */
function refuseOptions({ flags, values }: Call, verb: Verb, options: readonly string[]): void {
  const known = new Set([...Object.keys(COMMON_OPTIONS), ...options]);
  const stray = [...flags, ...values.keys()].find((name) => !known.has(name));
  if (stray !== undefined) throw new UsageError(`${verb} takes no --${stray}`, SEE);
}
