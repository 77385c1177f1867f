import {
  ExecutionCheckpoints,
  type KnownExecution,
  knownExecutions,
  PersistenceManager,
} from '../../execution/index.ts';
import { type ExecutionReader, type Savepoint, SavepointError } from '../../index.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import { type Call, oneOf } from '../command.ts';

/** Executions of both kinds, as the project's own database keeps them. */
export interface Executions {
  readonly savepoint: Savepoint;
  readonly reader: ExecutionReader;
  readonly checkpoints: ExecutionCheckpoints;
}

export async function executionsOf(savepoint: Savepoint): Promise<Executions> {
  const persistence = new PersistenceManager(await savepoint.storage());
  const checkpoints = new ExecutionCheckpoints(persistence, { files: savepoint });
  return { savepoint, reader: await savepoint.executions(), checkpoints };
}

/** Those of `--kind`, most recently updated first. */
export async function listed(call: Call, executions: Executions): Promise<KnownExecution[]> {
  const kind = oneOf(call, 'kind', ['steps', 'checkpoints']);
  const all = await knownExecutions(executions.reader, executions.checkpoints);
  return all.filter((one) => kind === undefined || one.kind === kind);
}

/** Finds one by its id, or the beginning of it. */
export async function find(
  call: Call,
  executions: Executions,
  id: string,
): Promise<KnownExecution> {
  const all = await listed(call, executions);
  const exact = all.filter((one) => one.id === id);
  const [found, other] = exact.length > 0 ? exact : all.filter((one) => one.id.startsWith(id));
  if (found === undefined || id === '') {
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

export interface NamedStep {
  readonly index: number;
  readonly name: string;
}

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

/** The steps of an execution that count. */
export async function stepsOf(
  { reader, checkpoints }: Executions,
  { id, kind }: KnownExecution,
): Promise<NamedStep[]> {
  if (kind === 'checkpoints') {
    const kept = await checkpoints.listCheckpoints(id);
    return kept.map(({ stepIndex, stepName }) => ({ index: stepIndex, name: stepName }));
  }
  const { steps, execution } = await reader.show(id);
  return steps.filter(({ index }) => index < execution.done);
}

/** "after step 2 (store)", "before its first step". */
export function placeText(steps: readonly NamedStep[], index: number): string {
  if (index === BEGINNING) return 'before its first step';
  const name = steps.find((step) => step.index === index)?.name;
  return `after step ${index}${name === undefined ? '' : ` (${name})`}`;
}
