import type { StepAttempt, StepEffect } from '../model/execution.ts';
import type { RecordedFiles } from './recorded-files.ts';
import type { ExecutionState } from './step-log.ts';

/** What a step can do beside what it does by itself. */
export interface StepHooks {
  readonly signal: AbortSignal;
  readonly files: RecordedFiles;
  readonly earlierEffects: readonly StepEffect[];
  effect(description: string): Promise<void>;
  capture(paths: readonly string[]): Promise<void>;
}

/** What a step is given. State, variables and context are its own to change: what they are at its end stays. */
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

  /** Before a tool writes these files by itself: what is there goes on record. Ends with the step. */
  capture(...paths: string[]): Promise<void> {
    return this.#hooks.capture(paths);
  }
}
