import type { Baseline } from '../../model/baseline.ts';
import type { Cancellation, Change } from '../../model/change.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import type { Execution, StepAttempt, StoredDocument } from '../../model/execution.ts';
import type { BlobId, CheckpointId, OperationId, PartId, Seq } from '../../model/ids.ts';
import type { Journal } from '../../model/journal.ts';
import type { Operation } from '../../model/operation.ts';
import type { TrackedPath } from '../../model/path.ts';
import type { Session } from '../../model/session.ts';
import type { Window } from '../../model/window.ts';
import { LockQueue, PROJECT_LOCK } from '../lock-queue.ts';
import type { Part } from '../parts/part.ts';
import type { Head, ProjectIdentity } from '../store.ts';

/** What lies in memory, and stays when a store on it is closed: several stores can share a place. */
export class MemoryPlace {
  seq: Seq = 0;
  project: ProjectIdentity | null = null;
  journal: Journal | null = null;
  baseline: Baseline | null = null;
  readonly blobs: Map<BlobId, Uint8Array> = new Map();
  readonly sessions: Map<string, Session> = new Map();
  readonly checkpoints: Map<CheckpointId, Checkpoint> = new Map();
  /** In the order of their numbers, because they are only ever added at the end. */
  readonly changes: Map<Seq, Change> = new Map();
  readonly heads: Map<TrackedPath, Head> = new Map();
  /** By the change that is taken back. */
  readonly cancellations: Map<Seq, readonly Cancellation[]> = new Map();
  readonly operations: Map<OperationId, Operation> = new Map();
  readonly windows: Map<string, Window> = new Map();
  readonly packs: Map<string, ReadonlyMap<BlobId, Uint8Array>> = new Map();
  readonly parts: Map<PartId, Part> = new Map();
  readonly executions: Map<string, Execution> = new Map();
  /** By the id of the execution, and then by index and attempt. */
  readonly steps: Map<string, Map<string, StepAttempt>> = new Map();
  /** By category and key, as JSON. */
  readonly documents: Map<string, StoredDocument> = new Map();
  readonly lock: LockQueue = new LockQueue(PROJECT_LOCK);
}
