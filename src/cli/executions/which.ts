import type {
  Holder,
  KnownExecution,
  KnownStep,
  ProjectExecutions,
} from '../../execution/index.ts';
import { displayText, SavepointError, STEP_STATUSES } from '../../index.ts';
import {
  COUNT,
  described,
  exact,
  type Kind,
  nullable,
  type ObjectKind,
  oneOf,
  TEXT,
} from '../../model/check.ts';
import type { Style } from '../../terminal/paint.ts';
import { shellWord } from '../../terminal/phrases.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import { type Call, wordOption } from '../command.ts';
import { picked } from '../json.ts';
import { EXECUTION_KIND, TIME, timeJson } from '../json-shapes.ts';

/** Those of `--kind`, most recently updated first. */
export async function listed(call: Call, executions: ProjectExecutions): Promise<KnownExecution[]> {
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

export function executionJson(execution: KnownExecution): ExecutionJson {
  return { ...picked(EXECUTION, execution), updatedAt: timeJson(execution.updatedAt) };
}
