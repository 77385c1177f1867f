import { hash, randomBytes } from 'node:crypto';
import { SavepointError } from '../model/errors.ts';
import { type BlobId, isBlobId } from '../model/ids.ts';
import type { Journal } from '../model/journal.ts';
import type { Baseline, Manifest } from '../model/manifest.ts';
import type { TrackedPath } from '../model/path.ts';
import type { Blob } from './store.ts';

export function hashBytes(bytes: Uint8Array): BlobId {
  return hash('sha256', bytes, 'hex') as BlobId;
}

export function blobOf(bytes: Uint8Array): Blob {
  return { id: hashBytes(bytes), bytes };
}

export function requireHash({ id }: Blob): void {
  if (isBlobId(id)) return;
  throw new SavepointError('argument-invalid', 'a blob has no SHA-256 as its id');
}

export function missingBlob(id: BlobId, cause?: unknown): SavepointError {
  return new SavepointError('blob-missing', `blob ${id} is not in the store`, { cause });
}

export function corruptBlob(id: BlobId, cause?: unknown): SavepointError {
  return new SavepointError('blob-corrupt', `blob ${id} does not match its hash`, { cause });
}

/** Contents that some paths of a baseline have and that are neither another path's nor `needed`. */
export function blobsOnlyOf(
  paths: ReadonlySet<TrackedPath>,
  list: Manifest,
  needed: ReadonlySet<BlobId> = new Set(),
): BlobId[] {
  const [theirs, others] = [new Set<BlobId>(), new Set(needed)];
  for (const [path, state] of list) {
    if (state.kind !== 'captured' || state.blob === null) continue;
    (paths.has(path) ? theirs : others).add(state.blob);
  }
  return [...theirs].filter((id) => !others.has(id));
}

/** The blobs that a baseline and an unfinished restore need. */
export function blobsNeededBy(baseline: Baseline | null, journal: Journal | null): BlobId[] {
  const { steps = [], changes = [] } = journal ?? {};
  const states = [
    ...steps.flatMap(({ from, to }) => [from, to]),
    ...changes.flatMap(({ before, after }) => [before, after]),
  ];
  const blobs = states.map((state) => (state?.kind === 'captured' ? state.blob : null));
  return [...blobs, baseline?.manifest ?? null].filter((id) => id !== null);
}

const PACK_NAME = /^[0-9a-f]{32}$/;

/** Random, so that nobody has to look which names are taken. */
export function newPackName(): string {
  return randomBytes(16).toString('hex');
}

export function isPackName(text: string): boolean {
  return PACK_NAME.test(text);
}
