import type { KnownExecution, KnownStep, ProjectExecutions } from '../../execution/index.ts';
import { SavepointError } from '../../index.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import { type Call, oneOf } from '../command.ts';

/** Those of `--kind`, most recently updated first. */
export async function listed(call: Call, executions: ProjectExecutions): Promise<KnownExecution[]> {
  const kind = oneOf(call, 'kind', ['steps', 'checkpoints']);
  return (await executions.list()).filter((one) => kind === undefined || one.kind === kind);
}

/** Finds one by its id, or the beginning of it. */
export async function find(
  call: Call,
  executions: ProjectExecutions,
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
