import type { Cancellation, Change } from './change.ts';
import type { CheckpointId, OperationId, Seq } from './ids.ts';
import type { Operation } from './operation.ts';
import type { TrackedPath } from './path.ts';
import type { State } from './state.ts';

/**
 * How far a restore has come. `alongside`: another program rewinds files; recovery makes them what they
 * were. `intent`: recovery rolls forward, or back where it cannot. `done`: the operation is on record or
 * taken back; only companions are left to remove.
 */
export type JournalPhase = 'alongside' | 'intent' | 'done';

/** One path of a restore, with the names of its new file and its stash. */
export interface JournalStep {
  readonly path: TrackedPath;
  /** `chmod` changes the mode in place; everything else replaces the entry. */
  readonly how: 'chmod' | 'replace';
  readonly from: State;
  readonly to: State;
  /** Folder in which the new file waits and the old one is kept, null for the project root. */
  readonly stageFolder: TrackedPath | null;
  readonly stagedName: string;
  readonly stashName: string;
}

/** A step whose companions have to go. */
export interface UntidyStep {
  readonly step: JournalStep;
  /** Whether the step is on record, and with it what it replaced. */
  readonly isOnRecord: boolean;
}

/** All that the next start needs to finish or take back a restore that was interrupted. */
export interface Journal {
  readonly operationId: OperationId;
  readonly safetyCheckpointId: CheckpointId;
  /** The sequence number that the rows below follow. */
  readonly base: Seq;
  readonly phase: JournalPhase;
  /** In the order in which they are carried out. */
  readonly steps: readonly JournalStep[];
  /** In phase `alongside`: the paths that the other program may touch, with their states before it. */
  readonly alongside?: readonly JournalStep[];
  /** Steps of earlier restores whose companions could not be removed so far. */
  readonly untidy?: readonly UntidyStep[];
  /** Recorded when the steps are done: the new operation, then those that it affects. */
  readonly operations: readonly Operation[];
  readonly changes: readonly Change[];
  readonly cancellations: readonly Cancellation[];
}
