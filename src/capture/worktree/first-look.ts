import type { BaselineState } from '../../model/manifest/entry.ts';
import { ManifestWriter } from '../../model/manifest/manifest-writer.ts';
import { unknown } from '../../model/state.ts';
import { blobOf } from '../../store/blob.ts';
import type { Draft } from '../../store/draft.ts';
import type { Blob } from '../../store/store.ts';
import type { CaptureSite } from '../capture.ts';
import type { GitBaseline } from '../git/baseline.ts';
import { keepObjects } from '../git/keep-objects.ts';
import type { GitRefusal } from '../git/refusal.ts';
import { Observer } from '../observe.ts';
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
  const { states, toCopy, bytes } = sortOut(site, index, keysOf(index, git.baseline));
  if (bytes > limit) return { kind: 'too-large', bytes, limit };
  const { packs } = await site.store.putBlobs(copies(site, toCopy, states, options));
  const writer = new ManifestWriter();
  for (const [entry, state] of states.entries()) {
    if (state !== null) writer.add(index.path(entry), state);
  }
  const manifest = blobOf(writer.finish());
  draft.addBlob(manifest);
  draft.baseline = { seq: draft.nextSeq(), manifest: manifest.id, packs };
  return {
    kind: 'baseline',
    entries: states.length,
    fromGit: git.baseline?.count ?? 0,
    copied: toCopy.length,
    copiedBytes: bytes,
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

type Keys = readonly (Uint8Array | undefined)[];

/** The objects that git holds, by the number of their entry: both lists have one order. */
function keysOf(index: ScanIndex, git: GitBaseline | null): Keys {
  const keys: (Uint8Array | undefined)[] = [];
  let entry = 0;
  for (const { path, oid } of git?.entries ?? []) {
    while (entry < index.count && index.path(entry) !== path) entry += 1;
    keys[entry] = oid;
  }
  return keys;
}

interface Sorted {
  /** By the number of the entry; null for what is not there after all. */
  readonly states: (BaselineState | null)[];
  readonly toCopy: readonly number[];
  readonly bytes: number;
}

/** Decides for each entry by its stat alone; what has to be read is listed. */
function sortOut({ maxFileSize }: CaptureSite, index: ScanIndex, keys: Keys): Sorted {
  const states: (BaselineState | null)[] = [];
  const toCopy: number[] = [];
  let bytes = 0;
  for (let entry = 0; entry < index.count; entry += 1) {
    const mode = index.mode(entry);
    const size = Number(index.columns.size[entry]);
    const key = keys[entry];
    if (key !== undefined) states.push({ kind: 'git', mode: mode & 0o777, size, key });
    else if (index.isDirectory(entry)) states.push(folder(mode));
    else if (!isFileMode(mode) && !isLinkMode(mode)) states.push(unknown('special-file'));
    else if (size > maxFileSize) states.push(unknown('too-large'));
    else {
      toCopy.push(entry);
      bytes += size;
      // The look at the file says what it is.
      states.push(null);
    }
  }
  return { states, toCopy, bytes };
}

/** Reads the files that nobody else holds. What vanished since the walk is left out. */
async function* copies(
  site: CaptureSite,
  toCopy: readonly number[],
  states: (BaselineState | null)[],
  { index, checkTime }: FirstLookOptions,
): AsyncGenerator<readonly Blob[]> {
  const observer = new Observer(site.root, site);
  let group: Blob[] = [];
  let bytes = 0;
  try {
    for (const entry of toCopy) {
      checkTime();
      const { state, blob } = observer.observe(index.path(entry));
      if (state.kind !== 'absent') states[entry] = state;
      if (blob === null) continue;
      group.push(blob);
      bytes += blob.bytes.length;
      if (bytes < GROUP_BYTES) continue;
      yield group;
      group = [];
      bytes = 0;
    }
    if (group.length > 0) yield group;
  } finally {
    observer.close();
  }
}

function folder(mode: number): BaselineState {
  return { kind: 'captured', type: 'directory', mode: mode & 0o777, blob: null, size: 0 };
}
