import type { CheckpointId, OperationId, Seq } from './ids.ts';
import type { TrackedPath } from './path.ts';
import type { PlanNote } from './plan.ts';

export const OPERATION_KINDS = ['rewind', 'undo', 'redo'] as const;

export type OperationKind = (typeof OPERATION_KINDS)[number];

/** One entry of the operation log. Operations append; taking one back is another operation. */
export interface Operation {
  readonly id: OperationId;
  readonly seq: Seq;
  readonly kind: OperationKind;
  /** What a rewind returned to. */
  readonly checkpointId: CheckpointId | null;
  /** The operation that an undo or a redo took back. */
  readonly reverts: OperationId | null;
  /** False once a later operation took this one back. */
  readonly inEffect: boolean;
  readonly safetyCheckpointId: CheckpointId;
  readonly description: string;
  readonly createdAt: number;
}

export interface PathReason {
  readonly path: TrackedPath;
  readonly reason: string;
}

/** What an operation did, path by path; the same for a preview that is then applied. */
export interface Receipt {
  /** False if a path is in conflict, or cannot come back. Other skipped paths do not count. */
  readonly success: boolean;
  readonly operationId: OperationId | null;
  readonly safetyCheckpointId: CheckpointId | null;
  readonly restoredFiles: readonly TrackedPath[];
  readonly deletedFiles: readonly TrackedPath[];
  readonly mergedFiles: readonly TrackedPath[];
  readonly conflicts: readonly PathReason[];
  readonly skipped: readonly PathReason[];
  /** Paths that cannot come back: the record of them is damaged, or they are gone and never were recorded. */
  readonly errors: readonly PathReason[];
  readonly notes: readonly PlanNote[];
}
