import type { Cancellation, Change } from '../model/change.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { Execution, StepAttempt } from '../model/execution.ts';
import type { BlobId, CheckpointId, Seq } from '../model/ids.ts';
import type { Baseline } from '../model/manifest.ts';
import type { TrackedPath } from '../model/path.ts';
import type { Session } from '../model/session.ts';
import type { Window } from '../model/window.ts';
import type { Part } from './parts/part.ts';
import type { Batch, Blob, BlobReference, ClosedChange, Fence } from './store.ts';

/** A batch in the making: hands out sequence numbers and collects rows. */
export class Draft {
  readonly base: Seq;
  #seq: Seq;
  readonly #blobs = new Map<BlobId, Blob>();
  readonly #references = new Map<BlobId, BlobReference>();
  readonly #sessions = new Map<string, Session>();
  readonly #lastChanges = new Map<TrackedPath, Change>();
  #indexed = 0;
  readonly checkpoints: Checkpoint[] = [];
  readonly changes: Change[] = [];
  readonly closed: ClosedChange[] = [];
  readonly doubted: Seq[] = [];
  readonly cancellations: Cancellation[] = [];
  readonly privatePaths: TrackedPath[] = [];
  readonly removedCheckpoints: CheckpointId[] = [];
  readonly windows: Window[] = [];
  readonly removedWindows: string[] = [];
  readonly executions: Execution[] = [];
  readonly steps: StepAttempt[] = [];
  readonly parts: Part[] = [];
  baseline?: Baseline;
  fence?: Fence;

  constructor(base: Seq) {
    this.base = base;
    this.#seq = base;
  }

  nextSeq(): Seq {
    this.#seq += 1;
    return this.#seq;
  }

  /** The last number handed out. */
  get seq(): Seq {
    return this.#seq;
  }

  /** The last change of a path in this batch, from which the next one has to go on. */
  lastChange(path: TrackedPath): Change | null {
    for (const change of this.changes.slice(this.#indexed)) {
      this.#lastChanges.set(change.path, change);
    }
    this.#indexed = this.changes.length;
    return this.#lastChanges.get(path) ?? null;
  }

  addBlob(blob: Blob): void {
    this.#blobs.set(blob.id, blob);
  }

  /** For bytes that are in the store already, and that no row names yet. */
  addReference(reference: BlobReference): void {
    this.#references.set(reference.id, reference);
  }

  /** A session as this draft leaves it; undefined where it says nothing of it. */
  sessionOf(id: string): Session | undefined {
    return this.#sessions.get(id);
  }

  putSession(session: Session): void {
    this.#sessions.set(session.id, session);
  }

  isEmpty(): boolean {
    const lists: readonly (readonly unknown[])[] = [
      ...[this.checkpoints, this.closed, this.doubted, this.privatePaths],
      ...[this.removedCheckpoints, this.windows, this.removedWindows],
      ...[this.executions, this.steps],
    ];
    const isIdle = this.#seq === this.base && this.#sessions.size === 0;
    return isIdle && lists.every(({ length }) => length === 0);
  }

  batch(): Batch {
    return {
      ...this,
      blobs: [...this.#blobs.values()],
      references: [...this.#references.values()],
      sessions: [...this.#sessions.values()],
    };
  }
}
