import { SavepointError } from '../model/errors.ts';
import type { StepAttempt, StepEffect } from '../model/execution.ts';
import type { RecordedFiles } from './recorded-files.ts';
import type { ExecutionState } from './step-log.ts';

/** One attempt as it is on record. */
export class Attempt {
  step: StepAttempt;
  /** Set under the project lock, so that calls which came before still belong to the attempt. */
  isOver = false;

  constructor(step: StepAttempt) {
    this.step = step;
  }

  /** Throws `step-over` for calls that a step did not wait for: its record is closed. */
  refuseOver(): void {
    if (!this.isOver) return;
    const { index, name } = this.step;
    throw new SavepointError('step-over', `step ${index} (${name}) is over`, {
      hint: 'wait, within a step, for all that it does',
    });
  }
}

/** The calls that a step can make while it runs. */
export interface StepHooks {
  readonly signal: AbortSignal;
  readonly files: RecordedFiles;
  readonly earlierEffects: readonly StepEffect[];
  effect(description: string): Promise<void>;
  capture(paths: readonly string[]): Promise<void>;
}

/** What a step is given. It may change state, variables and context: what they are at its end is kept. */
export class StepContext<State = unknown> implements ExecutionState {
  state: State;
  variables: Record<string, unknown>;
  context: Record<string, unknown>;
  readonly executionId: string;
  readonly index: number;
  readonly name: string;
  /** Counts from 1. */
  readonly attempt: number;
  /** Aborted when the caller cancels, or another process takes the execution over. */
  readonly signal: AbortSignal;
  /** Writes that are on record before they happen; the best way for a step to write a file. */
  readonly files: RecordedFiles;
  /** What earlier attempts at this step have declared, and may have done. */
  readonly earlierEffects: readonly StepEffect[];
  readonly #hooks: StepHooks;

  constructor(step: StepAttempt, given: ExecutionState, hooks: StepHooks) {
    this.state = given.state as State;
    this.variables = given.variables;
    this.context = given.context;
    this.executionId = step.executionId;
    this.index = step.index;
    this.name = step.name;
    this.attempt = step.attempt;
    this.signal = hooks.signal;
    this.files = hooks.files;
    this.earlierEffects = hooks.earlierEffects;
    this.#hooks = hooks;
  }

  /**
   * Puts on record, durably, that something is about to happen which cannot be undone: a request that is
   * sent, a mail. A rollback names it before it starts.
   */
  effect(description: string): Promise<void> {
    return this.#hooks.effect(description);
  }

  /** To be called before a tool writes these files by itself: puts on record what is there. */
  capture(...paths: string[]): Promise<void> {
    return this.#hooks.capture(paths);
  }
}
