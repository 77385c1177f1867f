import type { BlobId, Seq } from '../../model/ids.ts';
import type { State } from '../../model/state.ts';
import type { PruneResult } from '../store.ts';
import { dropParts } from './documents.ts';
import { MemoryPlace } from './memory-place.ts';

/** See the port. The caller holds the project lock. */
export function prune(place: MemoryPlace, floor: Seq): PruneResult {
  const result = { changes: dropChanges(place, floor), ...dropBlobs(place) };
  dropPacks(place);
  dropParts(place);
  return result;
}

/** See the port. Tried out on a copy; bytes are shared, and nobody writes to them. */
export function prunable(place: MemoryPlace, floor: Seq): PruneResult {
  return prune(copyOf(place), floor);
}

function copyOf(place: MemoryPlace): MemoryPlace {
  const copy = new MemoryPlace();
  copy.journal = place.journal;
  copy.baseline = place.baseline;
  for (const [id, bytes] of place.blobs) copy.blobs.set(id, bytes);
  for (const [seq, change] of place.changes) copy.changes.set(seq, change);
  for (const [path, head] of place.heads) copy.heads.set(path, head);
  for (const [seq, pairs] of place.cancellations) copy.cancellations.set(seq, pairs);
  return copy;
}

function dropChanges(place: MemoryPlace, floor: Seq): number {
  let dropped = 0;
  const isNeeded = (seq: Seq): boolean =>
    place.cancellations.get(seq)?.some(({ by }) => by >= floor) ?? false;
  for (const { seq, after } of place.changes.values()) {
    if (seq >= floor || after === null || isNeeded(seq)) continue;
    place.changes.delete(seq);
    dropped += 1;
  }
  const gone = (seq: Seq): boolean => seq < floor && !place.changes.has(seq);
  for (const [change, pairs] of place.cancellations) {
    const left = gone(change) ? [] : pairs.filter(({ by }) => !gone(by));
    if (left.length === 0) place.cancellations.delete(change);
    else place.cancellations.set(change, left);
  }
  return dropped;
}

export function dropBlobs(place: MemoryPlace): { blobs: number; bytes: number } {
  const reached = new Set([...states(place)].flatMap(blobsOf));
  if (place.baseline !== null) reached.add(place.baseline.manifest);
  const dead = [...place.blobs].filter(([id]) => !reached.has(id));
  for (const [id] of dead) place.blobs.delete(id);
  return { blobs: dead.length, bytes: dead.reduce((sum, [, bytes]) => sum + bytes.length, 0) };
}

/** What a reference names was taken over when it came, so nothing in a pack is needed by rows. */
function dropPacks({ packs, baseline }: MemoryPlace): void {
  for (const name of packs.keys()) {
    if (!baseline?.packs.includes(name)) packs.delete(name);
  }
}

function* states({ changes, heads, journal }: MemoryPlace): Generator<State | null> {
  for (const { before, after } of [...changes.values(), ...(journal?.changes ?? [])]) {
    yield before;
    yield after;
  }
  for (const { state } of heads.values()) yield state;
  for (const { from, to } of journal?.steps ?? []) {
    yield from;
    yield to;
  }
}

function blobsOf(state: State | null): BlobId[] {
  return state?.kind === 'captured' && state.blob !== null ? [state.blob] : [];
}
