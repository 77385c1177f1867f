import { type CaptureSite, look } from '../capture/capture.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { TrackedPath } from '../model/path.ts';
import { joins, type State } from '../model/state.ts';
import { readIntact } from '../store/find.ts';
import { isSelected } from './change-set.ts';

/** One path that differs between a checkpoint and a later point. */
export interface PathDiff {
  readonly path: TrackedPath;
  readonly before: State;
  readonly after: State;
  /** Contents; null where there are none or they were not recorded. */
  readonly beforeBytes: Uint8Array | null;
  readonly afterBytes: Uint8Array | null;
}

/**
 * The differences between `from` and now, or `to`, which may be the older one. Covers all paths on record,
 * whoever changed them. Reads only.
 */
export async function diffSince(
  site: CaptureSite,
  from: Checkpoint,
  to: Checkpoint | null,
  paths: readonly TrackedPath[] | null,
): Promise<PathDiff[]> {
  if (to === null || from.seq <= to.seq) return diffForward(site, from, to, paths);
  return (await diffForward(site, to, from, paths)).map(turnedAround);
}

function turnedAround({ path, before, after, beforeBytes, afterBytes }: PathDiff): PathDiff {
  return { path, before: after, after: before, beforeBytes: afterBytes, afterBytes: beforeBytes };
}

async function diffForward(
  site: CaptureSite,
  from: Checkpoint,
  to: Checkpoint | null,
  paths: readonly TrackedPath[] | null,
): Promise<PathDiff[]> {
  const changes = await site.store.timeline.changes({ after: from.seq });
  const byPath = Map.groupBy(changes, (change) => change.path);
  const diffs: PathDiff[] = [];
  for (const [path, chain] of [...byPath].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const first = chain[0];
    if (first === undefined || !isSelected(path, paths)) continue;
    const later = to === null ? undefined : chain.find((change) => change.seq > to.seq);
    const unchanged = to !== null && first.seq > to.seq;
    if (unchanged) continue;
    const end = to === null ? null : (later?.before ?? chain.at(-1)?.after ?? null);
    const diff = await pathDiff(site, path, first.before, end);
    if (!joins(diff.before, diff.after)) diffs.push(diff);
  }
  return diffs;
}

/** `end` is null for the state on disk. */
async function pathDiff(
  site: CaptureSite,
  path: TrackedPath,
  before: State,
  end: State | null,
): Promise<PathDiff> {
  const beforeBytes = await bytesOf(site, before);
  if (end !== null)
    return { path, before, after: end, beforeBytes, afterBytes: await bytesOf(site, end) };
  const seen = look(site, path);
  return { path, before, after: seen.state, beforeBytes, afterBytes: seen.blob?.bytes ?? null };
}

/** Null also for a damaged blob: a restore reports damage, a diff shows what it can. */
export async function bytesOf(site: CaptureSite, state: State): Promise<Uint8Array | null> {
  if (state.kind !== 'captured' || state.blob === null) return null;
  return readIntact(site.store, state.blob);
}
