import type { Cancellation, Change } from '../model/change.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { BlobId, CheckpointId, Seq } from '../model/ids.ts';
import type { Session } from '../model/session.ts';
import type { Batch, Blob, ClosedChange } from './store.ts';

/** A batch in the making: hands out sequence numbers and collects rows. */
export class Draft {
  readonly base: Seq;
  #seq: Seq;
  readonly #blobs = new Map<BlobId, Blob>();
  readonly #sessions = new Map<string, Session>();
  readonly checkpoints: Checkpoint[] = [];
  readonly changes: Change[] = [];
  readonly closed: ClosedChange[] = [];
  readonly cancellations: Cancellation[] = [];
  readonly removedCheckpoints: CheckpointId[] = [];

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

  addBlob(blob: Blob): void {
    this.#blobs.set(blob.id, blob);
  }

  putSession(session: Session): void {
    this.#sessions.set(session.id, session);
  }

  isEmpty(): boolean {
    return (
      this.#seq === this.base &&
      this.closed.length === 0 &&
      this.#sessions.size === 0 &&
      this.removedCheckpoints.length === 0
    );
  }

  batch(): Batch {
    return {
      base: this.base,
      blobs: [...this.#blobs.values()],
      sessions: [...this.#sessions.values()],
      checkpoints: this.checkpoints,
      changes: this.changes,
      closed: this.closed,
      cancellations: this.cancellations,
      removedCheckpoints: this.removedCheckpoints,
    };
  }
}
