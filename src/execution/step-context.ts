import type { StepEffect } from '../model/execution.ts';
import type { RecordedFiles } from './recorded-files.ts';
import type { ExecutionState } from './step-log.ts';

export interface StepOptions {
  /**
   * Tells steps of one name apart, as in a loop: a step that comes back in another order is noticed. A number
   * is the same key as its text.
   */
  readonly key?: string | number | undefined;
  /** Cancels the step: its changes are rolled back. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Where commands of the step write. After a kill, or beside another execution, nobody can tell who wrote
   * a file that no tool named: below these paths it was the step, elsewhere somebody else. Left out, such a
   * file stays as it is, and the execution stops with `execution-files-changed` and names it.
   */
  readonly writes?: readonly string[] | undefined;
}

/**
 * What a step is given. It may change state, variables and context, in place or by others: what they are at its
 * end is kept. They are drafts: a step that fails has changed nothing.
 */
export interface StepContext<State = unknown> extends ExecutionState<State> {
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
  /**
   * Puts on record, durably, that something is about to happen which cannot be undone: a request that is
   * sent, a mail. A rollback names it before it starts.
   */
  effect(description: string): Promise<void>;
  /** To be called before a tool writes these files by itself: puts on record what is there. */
  capture(...paths: string[]): Promise<void>;
}

/** What a step does. */
export type StepWork<State = unknown, Result = unknown> = (
  context: StepContext<State>,
) => Promise<Result> | Result;
