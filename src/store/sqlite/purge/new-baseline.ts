import { readFileSync, rmSync } from 'node:fs';
import type { Baseline } from '../../../model/baseline.ts';
import type { BlobId } from '../../../model/ids.ts';
import { Manifest } from '../../../model/manifest/manifest.ts';
import type { TrackedPath } from '../../../model/path.ts';
import { blobOf } from '../../blob.ts';
import type { Blob } from '../../store.ts';
import { readBaseline } from '../meta.ts';
import type { Opened } from '../opened.ts';
import { indexFile, packFile } from '../packs/pack-files.ts';
import { PackIndex } from '../packs/pack-index.ts';
import { putBlobs } from '../packs/put-blobs.ts';
import { readBlob } from '../read-blob.ts';
import { ManifestRewriter } from './manifest-rewriter.ts';
import { namedByOthers } from './purge-rows.ts';

/** A baseline without some paths, whose packs are durable; nothing names it yet. */
export interface NewBaseline {
  readonly baseline: Baseline;
  readonly manifest: Blob;
  /** Made for it; to be removed should it come to nothing. */
  readonly newPacks: readonly string[];
}

/**
 * The baseline without these paths. Packs that hold their bytes are written anew without them. What was
 * taken from git is copied: a pack of git's holds a history of which nobody knows what else is in it, and
 * nothing can be cut out of it.
 */
export async function newBaseline(
  opened: Opened,
  paths: readonly TrackedPath[],
): Promise<NewBaseline | null> {
  const old = readBaseline(opened.connection);
  if (old === null) return null;
  const list = new Manifest(readBlob(opened, old.manifest));
  const purged = new Set(paths);
  const needed = namedByOthers(opened.connection, paths);
  const stale = staleBlobs(list, purged, needed);
  const indices = old.packs.map((name) => ({ name, index: loadIndex(opened, name) }));
  // A pack whose index is damaged could hold anything.
  const kept = indices.filter(({ index }) => index !== null && !holdsAny(index, stale));
  const isKept = (id: BlobId): boolean =>
    kept.some(({ index }) => (index?.find(id) ?? null) !== null);
  const rewriter = new ManifestRewriter(opened, list, { purged, needed, isKept });
  const { packs: newPacks } = await putBlobs(opened.layout, rewriter.blobs());
  const manifest = blobOf(rewriter.finish());
  const packs = [...kept.map(({ name }) => name), ...newPacks];
  return { baseline: { seq: old.seq, manifest: manifest.id, packs }, manifest, newPacks };
}

export function removePacks({ layout }: Opened, names: readonly string[]): void {
  for (const name of names) {
    rmSync(indexFile(layout, name), { force: true });
    rmSync(packFile(layout, name), { force: true });
  }
}

/** What the paths had at the baseline, and nobody else has. */
function staleBlobs(
  list: Manifest,
  purged: ReadonlySet<TrackedPath>,
  needed: ReadonlySet<BlobId>,
): ReadonlySet<BlobId> {
  const stale = new Set<BlobId>();
  const others = new Set<BlobId>(needed);
  for (const [path, state] of list) {
    if (state.kind !== 'captured' || state.blob === null) continue;
    (purged.has(path) ? stale : others).add(state.blob);
  }
  return new Set([...stale].filter((id) => !others.has(id)));
}

function holdsAny(index: PackIndex, ids: ReadonlySet<BlobId>): boolean {
  return [...ids].some((id) => index.find(id) !== null);
}

function loadIndex({ layout }: Opened, name: string): PackIndex | null {
  try {
    return new PackIndex(readFileSync(indexFile(layout, name)));
  } catch {
    return null;
  }
}
