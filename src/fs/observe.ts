import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
} from 'node:fs';
import { nameOf, parentOf, type TrackedPath } from '../model/path.ts';
import { ABSENT, type State, type Unknown, unknown } from '../model/state.ts';
import { blobOf } from '../store/blob.ts';
import { type EntryKind, kindOf } from './entries.ts';
import { type FsPath, type PinnedFolder, pinParentOrNull } from './pinned-folder.ts';

/** The state of a path, with the bytes to keep. */
export interface Observation {
  readonly state: State;
  readonly blob: ReturnType<typeof blobOf> | null;
  /** Null when nothing is there. */
  readonly stats: BigIntStats | null;
}

export interface ObserveOptions {
  readonly maxFileSize: number;
  /** Where to read files into; a new buffer for each when left out. */
  readonly room?: ReadingRoom;
}

/** One buffer for many files: bytes are valid until the next file is read. */
export class ReadingRoom {
  #buffer: Buffer = Buffer.allocUnsafe(64 * 1024);

  take(size: number): Buffer {
    if (this.#buffer.length < size) this.#buffer = Buffer.allocUnsafe(size * 2);
    return this.#buffer.subarray(0, size);
  }
}

const READ_ATTEMPTS = 3;
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
export const NOTHING: Observation = { state: ABSENT, blob: null, stats: null };

/** Looks at one path of the project, following no link. A missing parent means `absent`. */
export function observe(
  projectRoot: string,
  path: TrackedPath,
  options: ObserveOptions,
): Observation {
  let folder: PinnedFolder | null;
  try {
    folder = pinParentOrNull(projectRoot, path);
  } catch (error) {
    return unreadable(error);
  }
  if (folder === null) return NOTHING;
  try {
    return observeEntry(folder, nameOf(path), options);
  } finally {
    folder.close();
  }
}

/**
 * As `observe`, for many paths, of which neighbours lie in one folder: it walks to each folder once, and
 * stays in it should somebody move it meanwhile.
 */
export class Observer {
  readonly #projectRoot: string;
  readonly #options: ObserveOptions;
  #at: { readonly parent: TrackedPath | null; readonly folder: PinnedFolder | null } | null = null;

  constructor(projectRoot: string, options: ObserveOptions) {
    this.#projectRoot = projectRoot;
    this.#options = options;
  }

  observe(path: TrackedPath): Observation {
    const parent = parentOf(path);
    try {
      if (this.#at === null || this.#at.parent !== parent) {
        this.close();
        this.#at = { parent, folder: pinParentOrNull(this.#projectRoot, path) };
      }
    } catch (error) {
      return unreadable(error);
    }
    const { folder } = this.#at;
    return folder === null ? NOTHING : observeEntry(folder, nameOf(path), this.#options);
  }

  close(): void {
    this.#at?.folder?.close();
    this.#at = null;
  }
}

/** What kind of entry stands at a path, without reading it; `special` where we may not even look. */
export function kindAt(projectRoot: string, path: TrackedPath): EntryKind {
  try {
    const folder = pinParentOrNull(projectRoot, path);
    return folder === null ? 'absent' : kindIn(folder, nameOf(path));
  } catch (error) {
    if (isForbidden(error)) return 'special';
    throw error;
  }
}

function kindIn(folder: PinnedFolder, name: string): EntryKind {
  try {
    return kindOf(folder.entry(name));
  } finally {
    folder.close();
  }
}

export function observeEntry(
  folder: PinnedFolder,
  name: string,
  options: ObserveOptions,
): Observation {
  const at = folder.entry(name);
  try {
    for (let attempt = 0; attempt < READ_ATTEMPTS; attempt += 1) {
      const seen = retryable(() => observeOnce(at, options));
      if (seen !== null) return seen;
    }
    return { state: unknown('unstable'), blob: null, stats: null };
  } catch (error) {
    return unreadable(error);
  }
}

/** An observation without the bytes. */
export type StateAndStat = Pick<Observation, 'state' | 'stats'>;

/**
 * Whether an entry is still the one that was seen, as far as its stat tells: not whether somebody wrote to
 * it within the same tick of the clock.
 */
export function isAsSeen(folder: PinnedFolder, name: string, { stats }: StateAndStat): boolean {
  if (stats === null) return false;
  try {
    const now = lstatSync(folder.entry(name), { bigint: true, throwIfNoEntry: false });
    return now !== undefined && sameFile(stats, now);
  } catch {
    // Observing the entry gives the reason.
    return false;
  }
}

/** Null where the entry was replaced by another kind between two calls. */
function retryable(look: () => Observation | null): Observation | null {
  try {
    return look();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (['ENOENT', 'ELOOP', 'ENXIO', 'EINVAL'].includes(code)) return null;
    throw error;
  }
}

/** Null when the entry changed while it was read. */
function observeOnce(at: FsPath, options: ObserveOptions): Observation | null {
  const stats = lstatSync(at, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return NOTHING;
  if (stats.isSymbolicLink()) return observeLink(at, stats);
  if (stats.isDirectory()) {
    const mode = Number(stats.mode & 0o777n);
    const state: State = { kind: 'captured', type: 'directory', mode, blob: null, size: 0 };
    return { state, blob: null, stats };
  }
  if (!stats.isFile()) return { state: unknown('special-file'), blob: null, stats };
  if (stats.size > BigInt(options.maxFileSize)) {
    return { state: unknown('too-large'), blob: null, stats };
  }
  return observeFile(at, stats, options.room);
}

function observeLink(at: FsPath, stats: BigIntStats): Observation {
  const blob = blobOf(readlinkSync(at, { encoding: 'buffer' }));
  const size = blob.bytes.length;
  const state: State = { kind: 'captured', type: 'symlink', mode: 0o777, blob: blob.id, size };
  return { state, blob, stats };
}

function observeFile(at: FsPath, stats: BigIntStats, room?: ReadingRoom): Observation | null {
  // O_NONBLOCK: should the file have become a FIFO since, opening it must not hang.
  const fd = openSync(at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    if (!sameFile(stats, fstatSync(fd, { bigint: true }))) return null;
    const bytes = readWhole(fd, Number(stats.size), room);
    if (bytes === null || !sameFile(stats, fstatSync(fd, { bigint: true }))) return null;
    const blob = blobOf(bytes);
    const mode = Number(stats.mode & 0o777n);
    const size = bytes.length;
    return { state: { kind: 'captured', type: 'file', mode, blob: blob.id, size }, blob, stats };
  } finally {
    closeSync(fd);
  }
}

/** Null when the file is not as long as it was said to be. */
function readWhole(fd: number, size: number, room?: ReadingRoom): Uint8Array | null {
  const buffer = room?.take(size + 1) ?? Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (;;) {
    const wanted = buffer.length - length;
    const read = readSync(fd, buffer, length, wanted, length);
    length += read;
    if (length > size) return null;
    // One byte more was asked for than there should be: less than that is the end.
    if (length === size && read < wanted) return buffer.subarray(0, size);
    if (read === 0) return null;
  }
}

/** Whether two looks saw one file with nothing written in between. */
function sameFile(a: BigIntStats, b: BigIntStats): boolean {
  return (
    a.ino === b.ino &&
    a.dev === b.dev &&
    a.size === b.size &&
    a.mtimeNs === b.mtimeNs &&
    a.ctimeNs === b.ctimeNs &&
    a.mode === b.mode
  );
}

function unreadable(error: unknown): Observation {
  const code = (error as NodeJS.ErrnoException).code;
  // A name that the file system cannot hold, or a file where a folder would be: nothing is there.
  if (code === 'ENAMETOOLONG' || code === 'ENOTDIR') return NOTHING;
  // Running out of descriptors or a failing disk says nothing about the file: that is an error.
  if (!isForbidden(error)) throw error;
  const state: Unknown = unknown('unreadable');
  return { state, blob: null, stats: null };
}

function isForbidden(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'EACCES' || code === 'EPERM';
}
