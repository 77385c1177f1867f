import type { Cancellation, Change } from '../../model/change.ts';
import { newestSeq } from '../newest-seq.ts';
import type { Batch, ClosedChange } from '../store.ts';
import { removeExecution, writeDocuments } from './documents.ts';
import { kept } from './kept.ts';
import type { MemoryPlace } from './memory-place.ts';
import { findPacked } from './packs.ts';

/** Carries out a batch that was checked; nothing in here can fail. */
export function writeBatch(place: MemoryPlace, batch: Batch): void {
  for (const { id, bytes } of batch.blobs ?? []) {
    if (!place.blobs.has(id)) place.blobs.set(id, Uint8Array.from(bytes));
  }
  for (const { id } of batch.references ?? []) {
    const packed = findPacked(place, id);
    if (packed !== null && !place.blobs.has(id)) place.blobs.set(id, packed);
  }
  for (const session of batch.sessions ?? []) place.sessions.set(session.id, kept(session));
  for (const checkpoint of batch.checkpoints ?? []) {
    place.checkpoints.set(checkpoint.id, kept(checkpoint));
  }
  for (const change of batch.changes ?? []) addChange(place, kept(change));
  for (const closed of batch.closed ?? []) closeChange(place, kept(closed));
  for (const pair of batch.cancellations ?? []) addCancellation(place, kept(pair));
  for (const operation of batch.operations ?? []) {
    place.operations.set(operation.id, kept(operation));
  }
  for (const window of batch.windows ?? []) place.windows.set(window.id, kept(window));
  writeDocuments(place, batch);
  if (batch.baseline !== undefined) place.baseline = kept(batch.baseline);
  if (batch.journal !== undefined) place.journal = kept(batch.journal);
  place.seq = newestSeq(batch);
  removeRows(place, batch);
}

function addChange(place: MemoryPlace, change: Change): void {
  place.changes.set(change.seq, change);
  const { path, seq, before, after } = change;
  place.heads.set(path, kept({ path, seq, state: after ?? before, open: after === null }));
}

function closeChange(place: MemoryPlace, { seq, after, attribution }: ClosedChange): void {
  const change = place.changes.get(seq);
  if (change === undefined) return;
  const closed = { ...change, after, attribution: attribution ?? change.attribution };
  place.changes.set(seq, kept(closed));
  // Where a newer change stands on top already, the head stays that one's.
  const head = place.heads.get(change.path);
  if (head?.seq === seq) place.heads.set(head.path, kept({ ...head, state: after, open: false }));
}

function addCancellation(place: MemoryPlace, pair: Cancellation): void {
  const others = (place.cancellations.get(pair.change) ?? []).filter(({ by }) => by !== pair.by);
  place.cancellations.set(pair.change, [...others, pair]);
}

function removeRows(place: MemoryPlace, batch: Batch): void {
  for (const id of batch.removedCheckpoints ?? []) place.checkpoints.delete(id);
  for (const id of batch.removedOperations ?? []) place.operations.delete(id);
  for (const id of batch.removedWindows ?? []) place.windows.delete(id);
  for (const id of batch.removedExecutions ?? []) removeExecution(place, id);
  for (const id of batch.removedSessions ?? []) removeSession(place, id);
}

function removeSession(place: MemoryPlace, id: string): void {
  place.sessions.delete(id);
  for (const checkpoint of place.checkpoints.values()) {
    if (checkpoint.sessionId === id) place.checkpoints.delete(checkpoint.id);
  }
  for (const window of place.windows.values()) {
    if (window.sessionId === id) place.windows.delete(window.id);
  }
  for (const execution of place.executions.values()) {
    if (execution.sessionId === id) removeExecution(place, execution.id);
  }
  for (const change of place.changes.values()) {
    if (change.sessionId === id)
      place.changes.set(change.seq, kept({ ...change, sessionId: null }));
  }
}
