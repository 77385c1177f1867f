import type { Cancellation, Change } from '../../model/change.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import type { CheckpointId, Seq } from '../../model/ids.ts';
import { isBelow, pathToBytes, type TrackedPath } from '../../model/path.ts';
import type { Session } from '../../model/session.ts';
import type { Window } from '../../model/window.ts';
import type { ChangeQuery, CheckpointQuery, Head } from '../store.ts';
import type { MemoryPlace } from './memory-place.ts';

export function listSessions(place: MemoryPlace): Session[] {
  return [...place.sessions.values()].sort(
    (a, b) => b.lastActiveAt - a.lastActiveAt || (a.id < b.id ? -1 : 1),
  );
}

export function listCheckpoints(place: MemoryPlace, query: CheckpointQuery): Checkpoint[] {
  const { messageId, before, since, path, limit } = query;
  const changedUnder = path === undefined ? null : checkpointsChanging(place, path);
  const inSessions = among(query.sessionIds);
  const ofKinds = among(query.kinds);
  const found = [...place.checkpoints.values()].filter(
    (checkpoint) =>
      inSessions(checkpoint.sessionId) &&
      ofKinds(checkpoint.kind) &&
      (messageId === undefined || checkpoint.messageId === messageId) &&
      (before === undefined || checkpoint.seq < before) &&
      (since === undefined || checkpoint.createdAt >= since) &&
      (changedUnder === null || changedUnder.has(checkpoint.id)) &&
      (!query.labelled || checkpoint.label !== null),
  );
  return newestFirst(found, limit);
}

function checkpointsChanging(place: MemoryPlace, path: TrackedPath): Set<CheckpointId | null> {
  const changes = [...place.changes.values()].filter(
    (change) => change.path === path || isBelow(change.path, path),
  );
  return new Set(changes.map(({ checkpointId }) => checkpointId));
}

export function listCheckpointsByPrefix(
  place: MemoryPlace,
  prefix: string,
  limit: number,
): Checkpoint[] {
  const all = [...place.checkpoints.values()];
  return newestFirst(
    all.filter((checkpoint) => checkpoint.id.startsWith(prefix)),
    limit,
  );
}

export function listIdsBeside(
  place: MemoryPlace,
  ids: readonly CheckpointId[],
): Map<CheckpointId, readonly string[]> {
  const sorted = [...place.checkpoints.keys()].sort();
  return new Map(
    ids.map((id) => {
      const below = sorted.findLast((other) => other < id);
      const above = sorted.find((other) => other > id);
      return [id, [below, above].flatMap((other) => other ?? [])];
    }),
  );
}

export function countChangedPaths(
  place: MemoryPlace,
  ids: readonly CheckpointId[],
): Map<CheckpointId, number> {
  const wanted = new Set(ids);
  const paths = new Map<CheckpointId, Set<TrackedPath>>();
  for (const { checkpointId, path } of place.changes.values()) {
    if (checkpointId === null || !wanted.has(checkpointId)) continue;
    const seen = paths.get(checkpointId) ?? new Set();
    paths.set(checkpointId, seen.add(path));
  }
  return new Map([...paths].map(([id, seen]) => [id, seen.size]));
}

export function listChanges(place: MemoryPlace, query: ChangeQuery): Change[] {
  const { after, operationId, open } = query;
  const inSessions = among(query.sessionIds);
  const ofPaths = among(query.paths);
  const underCheckpoints = among(query.checkpointIds);
  return [...place.changes.values()].filter(
    (change) =>
      (after === undefined || change.seq > after) &&
      inSessions(change.sessionId) &&
      ofPaths(change.path) &&
      underCheckpoints(change.checkpointId) &&
      (operationId === undefined || change.operationId === operationId) &&
      (open === undefined || change.after === null),
  );
}

export function listCancellations(place: MemoryPlace, changes: readonly Seq[]): Cancellation[] {
  return [...new Set(changes)]
    .flatMap((seq) => place.cancellations.get(seq) ?? [])
    .sort((a, b) => a.by - b.by || a.change - b.change);
}

export function listHeads(place: MemoryPlace): Head[] {
  return [...place.heads.values()].sort((a, b) =>
    Buffer.compare(pathToBytes(a.path), pathToBytes(b.path)),
  );
}

export function listWindows(place: MemoryPlace): Window[] {
  return [...place.windows.values()].sort((a, b) => a.opened - b.opened);
}

export function newestFirst<Row extends { readonly seq: Seq }>(
  rows: readonly Row[],
  limit?: number,
): Row[] {
  return rows.toSorted((a, b) => b.seq - a.seq).slice(0, limit);
}

/** A list that was left out lets everything pass; an empty one nothing. */
function among<Value>(values: readonly Value[] | undefined): (value: Value | null) => boolean {
  if (values === undefined) return () => true;
  const set = new Set(values);
  return (value) => value !== null && set.has(value);
}
