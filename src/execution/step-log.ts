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
  /** By the index of the step; within a step, oldest first. */
  readonly #steps = new Map<number, A[]>();
  readonly #live: A[] = [];

  constructor(attempts: readonly A[]) {
    for (const one of attempts) this.#file(one);
    this.#goOn();
  }

  /** The steps that succeeded and count, from the first on without a gap. */
  get live(): readonly A[] {
    return this.#live;
  }

  /** The index of a step that is missing although later ones succeeded. Only damage does that. */
  get lost(): number | null {
    const isLater = (one: A): boolean => one.status === 'success' && one.index > this.#live.length;
    return this.current.some(isLater) ? this.#live.length : null;
  }

  /** Every attempt, in the order of steps. */
  get attempts(): A[] {
    return [...this.steps.values()].flat();
  }

  /** Every attempt at each step, oldest first, by the index of the step. */
  get steps(): ReadonlyMap<number, readonly A[]> {
    return new Map([...this.#steps].sort(([one], [other]) => one - other));
  }

  /** The attempt that counts for each step, in the order of steps. Unlike `live`, it may have failed. */
  get current(): A[] {
    return [...this.steps.values()]
      .flatMap((attempts) => attempts.at(-1) ?? [])
      .filter(({ status }) => status !== 'rolled-back');
  }

  attemptsAt(index: number): readonly A[] {
    return this.#steps.get(index) ?? [];
  }

  /** Every attempt at this step, and at those that follow it without a gap. */
  attemptsFrom(index: number): A[] {
    const found: A[] = [];
    for (let at = index; this.#steps.has(at); at += 1) found.push(...this.attemptsAt(at));
    return found;
  }

  /** Adds an attempt, or puts it in the place of what it was before. */
  put(changed: A): void {
    this.#file(changed);
    this.#live.splice(changed.index);
    this.#goOn();
  }

  #file(one: A): void {
    const { index, attempt } = one;
    const attempts = this.#steps.get(index) ?? [];
    const before = attempts.filter((other) => other.attempt < attempt);
    const after = attempts.filter((other) => other.attempt > attempt);
    this.#steps.set(index, [...before, one, ...after]);
  }

  /** Adds the steps that count now to those that counted before. */
  #goOn(): void {
    for (;;) {
      const next = this.attemptsAt(this.#live.length).at(-1);
      if (next?.status !== 'success') return;
      this.#live.push(next);
    }
  }

  /** Where the execution can go on from: the last step that succeeded, before `beforeStep` if given. */
  lastSuccess(beforeStep: number = Number.POSITIVE_INFINITY): A | null {
    const isWanted = ({ status, index }: A): boolean => status === 'success' && index < beforeStep;
    return this.current.findLast(isWanted) ?? null;
  }

  /** The number of the next attempt at a step. */
  nextAttempt(index: number): number {
    return (this.attemptsAt(index).at(-1)?.attempt ?? 0) + 1;
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
