import type { Cancellation, Change } from '../model/change.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { BlobId } from '../model/ids.ts';
import type { Operation } from '../model/operation.ts';
import type { Session } from '../model/session.ts';
import type { State } from '../model/state.ts';

/** A change that has ended: no other is moved. */
export interface EndedChange extends Change {
  readonly after: State;
}

/**
 * A piece of a timeline that stands on its own: whatever a row names is in it. Checkpoints, changes and
 * operations are numbered together, from 1 on without a gap, and each list is in that order.
 */
export interface History {
  readonly sessions: readonly Session[];
  readonly checkpoints: readonly Checkpoint[];
  readonly changes: readonly EndedChange[];
  readonly operations: readonly Operation[];
  readonly cancellations: readonly Cancellation[];
}

export function statesIn({ changes }: Pick<History, 'changes'>): State[] {
  return changes.flatMap(({ before, after }) => [before, after]);
}

/** Each blob that a state names, with its size. */
export function blobsIn(states: readonly State[]): Map<BlobId, number> {
  const blobs = new Map<BlobId, number>();
  for (const state of states) {
    if (state.kind === 'captured' && state.blob !== null) blobs.set(state.blob, state.size);
  }
  return blobs;
}
