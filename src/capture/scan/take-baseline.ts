import { Observer, ReadingRoom } from '../../fs/observe.ts';
import { type BaselineState, Manifest, ManifestWriter } from '../../model/manifest.ts';
import type { TrackedPath } from '../../model/path.ts';
import { type UnknownReason, unknown } from '../../model/state.ts';
import { blobOf } from '../../store/blob.ts';
import type { Draft } from '../../store/draft.ts';
import type { Blob } from '../../store/store.ts';
import type { CaptureSite } from '../capture.ts';
import type { GitBaseline } from '../git/baseline.ts';
import { keepObjects } from '../git/keep-objects.ts';
import type { GitRefusal } from '../git/refusal.ts';
import { isFileMode, isLinkMode } from './entry-stat.ts';
import type { ScanIndex } from './scan-index.ts';

/** How a baseline was made. */
export interface BaselineReport {
  readonly kind: 'baseline';
  readonly entries: number;
  /** Files that git holds, which were neither read nor copied. */
  readonly fromGit: number;
  readonly copied: number;
  readonly copiedBytes: number;
  /** Paths whose content is not on record, with the reason. */
  readonly unrecorded: readonly Unrecorded[];
  /** Why nothing was taken from git; null where files were. */
  readonly refused: GitRefusal | null;
}

/** A path whose content is not on record. */
export interface Unrecorded {
  readonly path: TrackedPath;
  readonly reason: UnknownReason;
}

/** The files to copy are larger than the limit; nothing was put on record. */
export interface TooLarge {
  readonly kind: 'too-large';
  readonly bytes: number;
  readonly limit: number;
}

export interface BaselineOptions {
  readonly index: ScanIndex;
  readonly git: GitBaseline | { readonly refused: GitRefusal };
  /** How many bytes may be copied at most. */
  readonly maxCopyBytes: number;
  /** Throws when there is no time left. */
  readonly checkTime: () => void;
}

/**
 * Puts the state of every path in scope on record, so that later changes can start from it. Git's packs
 * are kept for the files that git holds; the other files are copied. The caller holds the project lock
 * until the draft is committed.
 */
export async function takeBaseline(
  draft: Draft,
  site: CaptureSite,
  options: BaselineOptions,
): Promise<BaselineReport | TooLarge> {
  const { index, maxCopyBytes: limit } = options;
  const { sorted, fromGit, refused } = await sortOutWithGit(site, options);
  const { writer, toCopy, bytes } = sorted;
  if (bytes > limit) return { kind: 'too-large', bytes, limit };
  const { packs } = await site.store.blobs.putMany(copies(site, toCopy, writer, options));
  const manifest = blobOf(writer.finish((entry) => index.path(entry)));
  const unrecorded = [...new Manifest(manifest.bytes).unknowns()].map(([path, reason]) => ({
    path,
    reason,
  }));
  draft.addBlob(manifest);
  for (let entry = 0; entry < index.count; entry += 1) {
    if (index.isPrivate(entry)) draft.privatePaths.push(index.path(entry));
  }
  draft.baseline = { seq: draft.nextSeq(), manifest: manifest.id, packs };
  return {
    kind: 'baseline',
    entries: index.count,
    fromGit,
    copied: toCopy.length,
    copiedBytes: bytes,
    unrecorded,
    refused,
  };
}

/** Decides which files are taken from git, and keeps their objects; the others are to be copied. */
async function sortOutWithGit(
  site: CaptureSite,
  options: BaselineOptions,
): Promise<Pick<BaselineReport, 'fromGit' | 'refused'> & { readonly sorted: Sorted }> {
  const { git, maxCopyBytes } = options;
  const folder = site.store.git?.folder;
  if ('refused' in git || git.count === 0 || folder === undefined) {
    const refused = 'refused' in git ? git.refused : null;
    return { sorted: sortOut(site, options, null), fromGit: 0, refused };
  }
  const sorted = sortOut(site, options, git);
  const room = maxCopyBytes - sorted.bytes;
  // If the other files alone are too large, nothing is put on record, so no objects are kept.
  const kept = room < 0 ? null : await keepObjects(site.root, folder, git, room);
  if (kept === null) return { sorted, fromGit: git.count, refused: null };
  return { sorted: sortOut(site, options, null), fromGit: 0, refused: kept.refused };
}

interface Sorted {
  readonly writer: ManifestWriter;
  /** Numbers of entries. */
  readonly toCopy: readonly number[];
  readonly bytes: number;
}

/** Decides for each entry by its stat alone, and lists the files that must be read. */
function sortOut(
  { maxFileSize, excluded }: CaptureSite,
  { index, maxCopyBytes }: BaselineOptions,
  git: GitBaseline | null,
): Sorted {
  const writer = new ManifestWriter(index.count);
  const toCopy: number[] = [];
  const ignored: number[] = [];
  let bytes = 0;
  let ignoredBytes = 0;
  // Both lists have the same order, so one pass over both is enough.
  const held = (git?.entries ?? [])[Symbol.iterator]();
  let next = held.next();
  for (let entry = 0; entry < index.count; entry += 1) {
    const mode = index.mode(entry);
    const size = index.size(entry);
    const oid = !next.done && next.value.path === index.path(entry) ? next.value.oid : null;
    if (oid !== null) next = held.next();
    const recorded = index.recordedMode(entry);
    if (index.isDirectory(entry)) writer.set(entry, folder(recorded));
    else if (excluded(index.path(entry), false)) writer.set(entry, unknown('excluded'));
    else if (oid !== null) writer.set(entry, { kind: 'git', mode: recorded, size, key: oid });
    else if (!isFileMode(mode) && !isLinkMode(mode)) writer.set(entry, unknown('special-file'));
    else if (size > maxFileSize) writer.set(entry, unknown('too-large'));
    else if (index.isPrivate(entry)) {
      ignored.push(entry);
      ignoredBytes += size;
    } else {
      toCopy.push(entry);
      bytes += size;
    }
  }
  // Files that git ignores come last: they must not be the reason for which nothing is recorded.
  if (bytes + ignoredBytes <= maxCopyBytes) {
    return { writer, toCopy: [...toCopy, ...ignored], bytes: bytes + ignoredBytes };
  }
  for (const entry of ignored) writer.set(entry, unknown('too-large'));
  return { writer, toCopy, bytes };
}

/** Reads the files to copy, each into the same buffer. A file that vanished is left out. */
async function* copies(
  site: CaptureSite,
  toCopy: readonly number[],
  writer: ManifestWriter,
  { index, checkTime }: BaselineOptions,
): AsyncGenerator<readonly Blob[]> {
  const { maxFileSize } = site;
  const observer = new Observer(site.root, { maxFileSize, room: new ReadingRoom() });
  try {
    for (const [done, entry] of toCopy.entries()) {
      checkTime();
      await site.onProgress?.({ step: 'copy', done, total: toCopy.length });
      const { state, blob } = observer.observe(index.path(entry));
      if (state.kind !== 'absent') writer.set(entry, state);
      if (blob !== null) yield [blob];
    }
  } finally {
    observer.close();
  }
}

function folder(mode: number): BaselineState {
  return { kind: 'captured', type: 'directory', mode, blob: null, size: 0 };
}
