import type { BaselineState } from '../../model/manifest/entry.ts';
import { ManifestWriter } from '../../model/manifest/manifest-writer.ts';
import type { TrackedPath } from '../../model/path.ts';
import { unknown } from '../../model/state.ts';
import { blobOf } from '../../store/blob.ts';
import type { Draft } from '../../store/draft.ts';
import type { Blob } from '../../store/store.ts';
import { type CaptureSite, isOffLimits, look } from '../capture.ts';
import type { GitBaseline } from '../git/baseline.ts';
import { keepObjects } from '../git/keep-objects.ts';
import type { GitRefusal } from '../git/refusal.ts';
import { isFileMode, isLinkMode } from '../scan/entry-stat.ts';
import type { ScanIndex } from '../scan/scan-index.ts';

/** How a baseline came about. */
export interface FirstLook {
  readonly kind: 'baseline';
  readonly entries: number;
  /** Files that git holds, for which nothing was read or copied. */
  readonly fromGit: number;
  readonly copied: number;
  readonly copiedBytes: number;
  /** Why nothing was taken from git; null where something was. */
  readonly refused: GitRefusal | null;
}

/** There is more to copy than may be; nothing was put on record. */
export interface TooLarge {
  readonly kind: 'too-large';
  readonly bytes: number;
  readonly limit: number;
}

export interface FirstLookOptions {
  readonly index: ScanIndex;
  readonly git: GitBaseline | { readonly refused: GitRefusal };
  /** How many bytes may be copied at most. */
  readonly maxCopyBytes: number;
  /** Throws when there is no time left. */
  readonly checkTime: () => void;
}

const GROUP_BYTES = 4 * 1024 * 1024;

/**
 * Puts the state of every path in scope on record, for later changes to start from. What git holds is
 * kept by links to its packs, the rest is copied. The caller holds the project lock until the draft is
 * committed.
 */
export async function takeBaseline(
  draft: Draft,
  site: CaptureSite,
  options: FirstLookOptions,
): Promise<FirstLook | TooLarge> {
  const { index, maxCopyBytes: limit } = options;
  const git = await keptByGit(site, options);
  const held = heldBy(git.baseline);
  const states = new Map<TrackedPath, BaselineState>();
  const toCopy = sortOut(site, index, held, states);
  if (toCopy.bytes > limit) return { kind: 'too-large', bytes: toCopy.bytes, limit };
  const { packs } = await site.store.putBlobs(copies(site, toCopy.paths, states, options));
  const writer = new ManifestWriter();
  for (let entry = 0; entry < index.count; entry += 1) {
    const state = states.get(index.path(entry));
    if (state !== undefined) writer.add(index.path(entry), state);
  }
  const manifest = blobOf(writer.finish());
  draft.addBlob(manifest);
  draft.baseline = { seq: draft.nextSeq(), manifest: manifest.id, packs };
  return {
    kind: 'baseline',
    entries: states.size,
    fromGit: held.size,
    copied: toCopy.paths.length,
    copiedBytes: toCopy.bytes,
    refused: git.refused,
  };
}

/** What git holds, once its objects are ours as well. */
async function keptByGit(
  { root, store }: CaptureSite,
  { git }: FirstLookOptions,
): Promise<{ baseline: GitBaseline | null; refused: GitRefusal | null }> {
  if ('refused' in git) return { baseline: null, refused: git.refused };
  const folder = store.objectsFolder();
  if (folder === null || git.count === 0) return { baseline: null, refused: null };
  const kept = await keepObjects(root, folder, git);
  return 'refused' in kept
    ? { baseline: null, refused: kept.refused }
    : { baseline: git, refused: null };
}

function heldBy(git: GitBaseline | null): Map<TrackedPath, Uint8Array> {
  const held = new Map<TrackedPath, Uint8Array>();
  for (const { path, oid } of git?.entries ?? []) held.set(path, oid);
  return held;
}

/** Decides for each entry by its stat alone; what has to be read is listed. */
function sortOut(
  site: CaptureSite,
  index: ScanIndex,
  held: ReadonlyMap<TrackedPath, Uint8Array>,
  states: Map<TrackedPath, BaselineState>,
): { paths: TrackedPath[]; bytes: number } {
  const paths: TrackedPath[] = [];
  let bytes = 0;
  for (let entry = 0; entry < index.count; entry += 1) {
    const path = index.path(entry);
    if (isOffLimits(site, path)) continue;
    const mode = index.mode(entry);
    const size = Number(index.columns.size[entry]);
    const key = held.get(path);
    if (key !== undefined) states.set(path, { kind: 'git', mode: mode & 0o777, size, key });
    else if (index.isDirectory(entry)) states.set(path, folder(mode));
    else if (!isFileMode(mode) && !isLinkMode(mode)) states.set(path, unknown('special-file'));
    else if (size > site.maxFileSize) states.set(path, unknown('too-large'));
    else {
      paths.push(path);
      bytes += size;
      // Keeps the place in the order; the look at the file says what it is.
      states.set(path, unknown('unreadable'));
    }
  }
  return { paths, bytes };
}

/** Reads the files that nobody else holds. What vanished since the walk is left out. */
async function* copies(
  site: CaptureSite,
  paths: readonly TrackedPath[],
  states: Map<TrackedPath, BaselineState>,
  { checkTime }: FirstLookOptions,
): AsyncGenerator<readonly Blob[]> {
  let group: Blob[] = [];
  let bytes = 0;
  for (const path of paths) {
    checkTime();
    const { state, blob } = look(site, path);
    if (state.kind === 'absent') states.delete(path);
    else states.set(path, state);
    if (blob === null) continue;
    group.push(blob);
    bytes += blob.bytes.length;
    if (bytes < GROUP_BYTES) continue;
    yield group;
    group = [];
    bytes = 0;
  }
  if (group.length > 0) yield group;
}

function folder(mode: number): BaselineState {
  return { kind: 'captured', type: 'directory', mode: mode & 0o777, blob: null, size: 0 };
}
