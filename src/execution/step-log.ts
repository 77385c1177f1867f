import { SavepointError } from '../model/errors.ts';
import type { Execution, StepAttempt } from '../model/execution.ts';
import type { PartId } from '../model/ids.ts';
import { assemble } from '../store/parts/assemble.ts';
import type { Store } from '../store/store.ts';

/** What a step leaves to the next one. */
export interface ExecutionState {
  state: unknown;
  variables: Record<string, unknown>;
  context: Record<string, unknown>;
}

/** The attempts of an execution, and which of them count. */
export class StepLog {
  readonly attempts: readonly StepAttempt[];
  /** The steps that succeeded and were not rolled back, from the first on without a gap. */
  readonly live: readonly StepAttempt[];
  /** The index of one that is gone although later ones are not: damage, of which a repair has told. */
  readonly lost: number | null;
  readonly #rolledBack: ReadonlySet<StepAttempt>;

  constructor(attempts: readonly StepAttempt[], rolledBack: ReadonlySet<StepAttempt>) {
    this.attempts = attempts;
    this.#rolledBack = rolledBack;
    const succeeded = attempts.filter((step) => step.status === 'success' && !rolledBack.has(step));
    const last = new Map(succeeded.map((step) => [step.index, step]));
    const live: StepAttempt[] = [];
    for (let step = last.get(0); step !== undefined; step = last.get(live.length)) live.push(step);
    this.live = live;
    this.lost = succeeded.some(({ index }) => index > live.length) ? live.length : null;
  }

  /** With what is on record by now of the attempts at one step: the holder need not read all the others. */
  async reread(store: Store, executionId: string, index: number): Promise<StepLog> {
    const others = this.attempts.filter((step) => step.index !== index);
    const fresh = await store.steps(executionId, index);
    return new StepLog([...others, ...fresh], this.#rolledBack);
  }

  nextAttempt(index: number): number {
    const numbers = this.attempts.filter((step) => step.index === index).map((one) => one.attempt);
    return Math.max(0, ...numbers) + 1;
  }

  /** The live step, or throws `step-not-found`. */
  at(index: number): StepAttempt {
    const step = this.live[index];
    if (step !== undefined) return step;
    throw new SavepointError('step-not-found', `there is no step ${index} that succeeded`);
  }
}

export async function readLog(store: Store, executionId: string): Promise<StepLog> {
  const attempts = await store.steps(executionId);
  const rolledBack = new Set<StepAttempt>();
  for (const step of attempts) if (await isRolledBack(store, step)) rolledBack.add(step);
  return new StepLog(attempts, rolledBack);
}

/** An operation that never came about, or was taken back itself, rolls nothing back. */
export async function isRolledBack(store: Store, step: StepAttempt): Promise<boolean> {
  if (step.status === 'rolled-back') return true;
  if (step.rolledBackBy === null) return false;
  return (await store.operation(step.rolledBackBy))?.inEffect ?? false;
}

export async function readValue(store: Store, root: PartId): Promise<unknown> {
  return assemble(root, await store.readParts(root));
}

/** What the last step of an execution left; null where there is none. */
export async function stateAfter(store: Store, step: StepAttempt): Promise<ExecutionState> {
  if (step.root === null) {
    throw new SavepointError('part-missing', `the state after step ${step.index} is lost`);
  }
  return (await readValue(store, step.root)) as ExecutionState;
}

/** Messages name an execution by what it is called. */
export function described({ id }: Pick<Execution, 'id'>, step: StepAttempt): string {
  return `step ${step.index} (${step.name}) of ${id}`;
}
