import { SavepointError } from '../model/errors.ts';
import type { StepAttempt, StepEffect, StepStatus } from '../model/execution.ts';

/** What a step leaves to the next one. */
export interface ExecutionState<State = unknown> {
  state: State;
  variables: Record<string, unknown>;
  context: Record<string, unknown>;
}

/** The name of a step for people, with its key where it has one. */
export function stepName({ name, key }: Pick<RecordedAttempt, 'name' | 'key'>): string {
  return key === null ? name : `${name}, key ${key}`;
}

/** Names the place before the first step where the index of a step is expected. */
export const BEGINNING = -1;

/**
 * One attempt at a step, as both kinds of execution have it on record: a row of the project's store
 * (`StepAttempt`), or a checkpoint that a program keeps itself.
 */
export interface RecordedAttempt {
  readonly index: number;
  readonly name: string;
  /** Tells steps of one name apart; null for a step without one. */
  readonly key: string | null;
  /** Counts from 1. */
  readonly attempt: number;
  /** `pending` is only for checkpoints that a program keeps itself. */
  readonly status: StepStatus | 'pending';
  readonly error: string | null;
  readonly effects: readonly StepEffect[];
  /** Its checkpoint on the timeline of files; null where it has none. */
  readonly checkpointId: string | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

/**
 * The attempts of one execution, and the rule that says which of them count: the newest attempt at a step
 * does, unless it was rolled back. Pure; both kinds of execution read their attempts through it.
 */
export class StepLog<A extends RecordedAttempt> {
  readonly attempts: readonly A[];
  /** The steps that succeeded and count, from the first on without a gap. */
  readonly live: readonly A[];
  /** The index of a step that is missing although later ones succeeded. Only damage does that. */
  readonly lost: number | null;
  readonly #newest = new Map<number, A>();

  constructor(attempts: readonly A[]) {
    this.attempts = attempts;
    for (const one of attempts) {
      const known = this.#newest.get(one.index);
      if (known === undefined || known.attempt < one.attempt) this.#newest.set(one.index, one);
    }
    const live: A[] = [];
    for (
      let step = this.#newest.get(0);
      step?.status === 'success';
      step = this.#newest.get(live.length)
    ) {
      live.push(step);
    }
    this.live = live;
    const isLater = (one: A): boolean => one.status === 'success' && one.index > live.length;
    this.lost = [...this.#newest.values()].some(isLater) ? live.length : null;
  }

  /** The same log with one attempt added, or changed. */
  with(changed: A): StepLog<A> {
    const { index, attempt } = changed;
    const others = this.attempts.filter((one) => one.index !== index || one.attempt !== attempt);
    return new StepLog([...others, changed]);
  }

  /** Every attempt at each step, oldest first, by the index of the step. */
  get steps(): Map<number, A[]> {
    const ordered = this.attempts.toSorted(
      (one, other) => one.index - other.index || one.attempt - other.attempt,
    );
    return Map.groupBy(ordered, ({ index }) => index);
  }

  /** The attempt that counts for each step, in the order of steps. Unlike `live`, it may have failed. */
  get current(): A[] {
    return [...this.#newest.values()]
      .filter(({ status }) => status !== 'rolled-back')
      .sort((one, other) => one.index - other.index);
  }

  /** Where the execution can go on from: the last step that succeeded, before `beforeStep` if given. */
  lastSuccess(beforeStep: number = Number.POSITIVE_INFINITY): A | null {
    const isWanted = ({ status, index }: A): boolean => status === 'success' && index < beforeStep;
    return this.current.findLast(isWanted) ?? null;
  }

  /** The number of the next attempt at a step. */
  nextAttempt(index: number): number {
    return (this.#newest.get(index)?.attempt ?? 0) + 1;
  }

  /** The live step, or throws `step-not-found`. */
  at(index: number): A {
    const step = this.live[index];
    if (step !== undefined) return step;
    throw new SavepointError('step-not-found', `there is no step ${index} that succeeded`);
  }
}

/** Whether files may still be as the attempt left them: it was cut off, or was not rolled back to its end. */
export function isUnfinished({ status, restored }: StepAttempt): boolean {
  if (status === 'running') return true;
  return !restored && (status === 'failed' || status === 'cancelled' || status === 'killed');
}
