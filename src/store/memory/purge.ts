import type { Baseline } from '../../model/baseline.ts';
import type { Change } from '../../model/change.ts';
import { SavepointError } from '../../model/errors.ts';
import type { BlobId } from '../../model/ids.ts';
import { Manifest } from '../../model/manifest/manifest.ts';
import { ManifestWriter } from '../../model/manifest/manifest-writer.ts';
import type { TrackedPath } from '../../model/path.ts';
import { unknown } from '../../model/state.ts';
import { blobOf } from '../blob.ts';
import { kept } from './kept.ts';
import type { MemoryPlace } from './memory-place.ts';
import { dropBlobs } from './prune.ts';

const PURGED = unknown('purged');

/** See the port. What is in memory is gone when nothing names it. */
export function purge(place: MemoryPlace, paths: readonly TrackedPath[]): void {
  if (place.journal !== null) {
    throw new SavepointError('restore-unfinished', 'a restore is not finished');
  }
  const purged = new Set(paths);
  for (const [seq, change] of place.changes) {
    if (purged.has(change.path)) place.changes.set(seq, kept(purgedChange(change)));
  }
  for (const [path, head] of place.heads) {
    if (purged.has(path)) place.heads.set(path, kept({ ...head, state: PURGED }));
  }
  if (place.baseline !== null) place.baseline = purgedBaseline(place, place.baseline, purged);
  dropBlobs(place);
}

function purgedChange(change: Change): Change {
  return { ...change, before: PURGED, after: change.after && PURGED };
}

function purgedBaseline(
  place: MemoryPlace,
  baseline: Baseline,
  purged: ReadonlySet<TrackedPath>,
): Baseline {
  const bytes = place.blobs.get(baseline.manifest);
  if (bytes === undefined) throw new SavepointError('blob-missing', 'the baseline has no list');
  const list = new Manifest(bytes);
  const writer = new ManifestWriter(list.count);
  const needed = new Set<BlobId>();
  for (let at = 0; at < list.count; at += 1) {
    const state = purged.has(list.path(at)) ? PURGED : list.state(at);
    writer.set(at, state);
    if (state.kind === 'captured' && state.blob !== null) needed.add(state.blob);
  }
  const manifest = blobOf(writer.finish((at) => list.path(at)));
  place.blobs.set(manifest.id, manifest.bytes);
  for (const [name, pack] of place.packs) {
    place.packs.set(name, new Map([...pack].filter(([id]) => needed.has(id))));
  }
  return kept({ ...baseline, manifest: manifest.id });
}
