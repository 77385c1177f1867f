import type { CaptureSite } from '../capture/capture.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import type { BaselineState } from '../model/manifest.ts';
import { isOutside, type TrackedPath } from '../model/path.ts';
import type { State } from '../model/state.ts';

/** The state of a path; a state of the baseline may have its bytes in git's packs. */
export type TreeState = State | BaselineState;

/**
 * The whole worktree as it was at a checkpoint: the recorded state of each path, and the baseline for paths
 * that never changed. Sorted, so that a folder comes before its entries.
 */
export async function treeAt(
  site: CaptureSite,
  checkpoint: Checkpoint,
): Promise<Map<TrackedPath, TreeState>> {
  const { store, known } = site;
  const baseline = (await store.state()).baseline;
  if (baseline === null || baseline.seq > checkpoint.seq) throw notCovered(checkpoint);
  const tree = new Map<TrackedPath, TreeState>();
  for (const [path, state] of (await known.manifest()) ?? []) tree.set(path, state);
  for (const { path, state } of await store.timeline.heads()) tree.set(path, state);
  const later = await store.timeline.changes({ after: checkpoint.seq });
  // Newest first, so that the oldest change after the checkpoint is set last.
  for (const { path, before } of later.toReversed()) tree.set(path, before);
  const there = [...tree].filter(([path, { kind }]) => !isOutside(path) && kind !== 'absent');
  // A folder's path is a prefix of its entries' paths, so it comes before them.
  return new Map(there.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function notCovered({ id }: Checkpoint): SavepointError {
  return new SavepointError('not-covered', 'the worktree was not scanned before this checkpoint', {
    hint: 'only files that tools named are on record there; rewind and diff cover those',
    details: { checkpoint: id },
  });
}
