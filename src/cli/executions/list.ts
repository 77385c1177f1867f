import {
  type CheckpointProblem,
  type Holder,
  type KnownExecution,
  type KnownStep,
  ProjectExecutions,
} from '../../execution/index.ts';
import { displayText, SavepointError, STEP_STATUSES } from '../../index.ts';
import {
  COUNT,
  described,
  exact,
  type Kind,
  listOf,
  nullable,
  type ObjectKind,
  oneOf,
  TEXT,
} from '../../model/check.ts';
import type { Style } from '../../terminal/paint.ts';
import { plural, relativeTime, shellWord } from '../../terminal/phrases.ts';
import { beside } from '../../terminal/rows.ts';
import { clipWidth, padWidth, textWidth } from '../../terminal/text-width.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import { type Call, wordOption } from '../command.ts';
import type { Subcommand } from '../commands/executions.ts';
import { EXIT } from '../exit-codes.ts';
import { picked, printJson } from '../json.ts';
import { EXECUTION_KIND, TIME, timeJson } from '../json-shapes.ts';
import { withTimelineIfAny } from '../open-timeline.ts';
import { limitOf } from '../options.ts';
import { showPage } from '../pager.ts';

interface ExecutionJson extends Omit<KnownExecution, 'updatedAt'> {
  readonly updatedAt: string;
}

export const STEP_STATUS: Kind<KnownStep['status']> = oneOf(...STEP_STATUSES, 'pending');

export const EXECUTION: ObjectKind<ExecutionJson> = exact({
  id: TEXT,
  kind: EXECUTION_KIND,
  status: described(
    'Of durable steps: `running` while a process holds it, else `open`, `finished` or `cancelled`. Of checkpoints: how the last step ended.',
    oneOf('running', 'open', 'finished', 'cancelled', 'success', 'failed', 'pending'),
  ),
  done: described('How many steps succeeded and were not rolled back.', COUNT),
  last: described(
    'The last step that was begun; null where none was.',
    nullable(exact({ index: COUNT, name: TEXT, status: STEP_STATUS })),
  ),
  updatedAt: TIME,
  holder: described(
    'The process that goes on with it at this moment.',
    nullable(exact({ host: TEXT, processId: COUNT })),
  ),
});

const SHAPE = exact({
  executions: described('Most recently updated first.', listOf(EXECUTION)),
  damaged: described('Ids of checkpoints that cannot be read.', listOf(TEXT)),
});

interface Listed {
  readonly all: readonly KnownExecution[];
  readonly problems: readonly CheckpointProblem[];
}

export function executionJson(execution: KnownExecution): ExecutionJson {
  return { ...picked(EXECUTION, execution), updatedAt: timeJson(execution.updatedAt) };
}

/** `savepoint executions list`: both kinds, most recently updated first. */
export const list: Subcommand = {
  printed: SHAPE,
  run: async (call: Call) => {
    const limit = limitOf(call) ?? Number.POSITIVE_INFINITY;
    const { all, problems } = await withTimelineIfAny<Listed>(
      call,
      async (savepoint) => {
        const executions = await ProjectExecutions.of(savepoint);
        const found = await listed(call, executions);
        return { all: found, problems: executions.checkpoints.problems() };
      },
      () => ({ all: [], problems: [] }),
    );
    const shown = all.slice(0, limit);
    printJson(call, SHAPE, {
      executions: shown.map(executionJson),
      damaged: problems.map(({ id }) => id),
    });
    await showPage(call, shown.length === 0 ? ['No execution is on record.'] : rows(call, shown));
    sayDamaged(call, problems);
    if (shown.length < all.length) {
      call.hint('there are older ones: savepoint executions list --limit 0');
    }
    call.hint(hintFor(shown));
    return EXIT.done;
  },
};

function hintFor(shown: readonly KnownExecution[]): string {
  return shown.length === 0
    ? 'a program begins one with: savepoint.execution(ID); see docs/executions.md'
    : 'see one of them with: savepoint executions show ID';
}

/** Names the checkpoints that cannot be read; the others are listed all the same. */
export function sayDamaged(call: Call, problems: readonly CheckpointProblem[]): void {
  for (const { id, error } of problems) {
    call.io.err(`savepoint: ${displayText(`${id} cannot be read: ${error.message}`)}\n`);
  }
}

const LONGEST_ID = 32;

/** The id and the status on the left; the rest on the right, in as many lines as it needs. */
function rows({ io, paint, columns }: Call, shown: readonly KnownExecution[]): string[] {
  const ids = shown.map(({ id }) => clipWidth(displayText(id), LONGEST_ID));
  const idColumn = Math.max(...ids.map(textWidth));
  const statusColumn = Math.max(...shown.map(({ status }) => status.length));
  return shown.flatMap((execution, i) => {
    const { status } = execution;
    const id = paint('bold', padWidth(ids[i] ?? '', idColumn));
    const painted = paint(STATUS_STYLES[status] ?? 'bold', status.padEnd(statusColumn));
    return beside(`${id}  ${painted}  `, aboutOf(execution, io.now()), columns);
  });
}

function aboutOf({ kind, done, last, updatedAt, holder }: KnownExecution, now: number): string {
  return [
    kind,
    `${plural(done, 'step')} done`,
    last === null
      ? 'none begun'
      : `last ${last.index} "${displayText(last.name)}" (${last.status})`,
    relativeTime(updatedAt, now),
    ...(holder === null ? [] : [`held by ${holderText(holder)}`]),
  ].join(', ');
}

/** Those of `--kind`, most recently updated first. */
async function listed(call: Call, executions: ProjectExecutions): Promise<KnownExecution[]> {
  const kind = wordOption(call, 'kind', ['steps', 'checkpoints']);
  return (await executions.list()).filter((one) => kind === undefined || one.kind === kind);
}

/** Finds one by its id, or the beginning of it. */
export async function find(
  call: Call,
  executions: ProjectExecutions,
  id: string,
): Promise<KnownExecution> {
  const all = await listed(call, executions);
  const same = all.filter((one) => one.id === id);
  const [found, other] = same.length > 0 ? same : all.filter((one) => one.id.startsWith(id));
  if (found === undefined || id === '') {
    // One that was removed is in no list, and says so itself.
    if (id !== '') await executions.reader.show(id);
    throw new SavepointError('execution-not-found', `there is no execution ${id}`);
  }
  if (other === undefined) return found;
  if (other.id === found.id) {
    throw new UsageError(
      `there are two executions ${id}, one of each kind`,
      'add --kind steps, or --kind checkpoints',
    );
  }
  throw new UsageError(
    `several executions begin with "${id}"`,
    `say more: ${found.id}, ${other.id}`,
  );
}

export type NamedStep = Pick<KnownStep, 'index' | 'name'>;

/** Before the first step. */
export const BEGINNING = -1;

/** The step that a word means: its number, its name, or `beginning`. */
export function stepIn(steps: readonly NamedStep[], word: string): number {
  if (word === 'beginning' || word === String(BEGINNING)) return BEGINNING;
  const isNumber = /^\d{1,9}$/.test(word);
  const fitting = steps.filter(({ index, name }) =>
    isNumber ? index === Number(word) : name === word,
  );
  const [found, other] = fitting;
  if (found === undefined) {
    throw new SavepointError('step-not-found', `no step ${word} has succeeded`);
  }
  if (other === undefined) return found.index;
  const numbers = fitting.map(({ index }) => index).join(', ');
  throw new UsageError(`several steps are called ${word}`, `say which by its number: ${numbers}`);
}

/** "after step 2 (store)", "before its first step". */
export function placeText(steps: readonly NamedStep[], index: number): string {
  if (index === BEGINNING) return 'before its first step';
  const name = steps.find((step) => step.index === index)?.name;
  return `after step ${index}${name === undefined ? '' : ` (${name})`}`;
}

/** The two kinds, in words for people. */
export const KINDS: Readonly<Record<KnownExecution['kind'], string>> = {
  steps: 'durable steps',
  checkpoints: 'checkpoints of a program',
};

/** Steps that went well are green; those that a person should look at are not. */
export const STATUS_STYLES: Readonly<Record<string, Style>> = {
  running: 'cyan',
  finished: 'green',
  success: 'green',
  failed: 'red',
  killed: 'red',
  cancelled: 'yellow',
  'rolled-back': 'dim',
};

export function holderText({ host, processId }: Holder): string {
  return `process ${processId} on ${displayText(host)}`;
}

/** An id in a command that is shown to be typed. */
export function idWord(id: string): string {
  return displayText(shellWord(id));
}
