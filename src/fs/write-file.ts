import { randomBytes } from 'node:crypto';
import {
  type BigIntStats,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { moveIntoPlace, removeIfThere } from './entries.ts';
import type { NamelessFile } from './nameless-file.ts';
import type { FsPath } from './pinned-folder.ts';

export interface WriteOptions {
  /** The exact permission bits. Left out, only the owner may read and write the file. */
  readonly mode?: number | undefined;
  /** Where the file waits until it is whole, in the same folder. A random name when left out. */
  readonly waiting?: FsPath | undefined;
  /** A file that was begun without a name. It gets the one under which it waits when it is whole. */
  readonly nameless?: NamelessFile | null | undefined;
  /** Throws EEXIST where something has the name already, instead of replacing it. */
  readonly onlyNew?: boolean | undefined;
  /** False for a cache, which a power cut may take. */
  readonly durable?: boolean | undefined;
  /** Called when the file is whole, before it gets its name. What it throws stops the write. */
  readonly beforeNaming?: (() => void) | undefined;
}

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;
const PRIVATE_MODE = 0o600;
const PRIVATE_FOLDER_MODE = 0o700;
const TEMPORARY_NAME = /^\.[0-9a-f]{16}\.tmp$/;

/** The mode of a file that is not written to its end. No captured file has it: nobody could read it. */
const UNFINISHED_MODE = 0o200;

/**
 * Writes a whole file: to another name beside it first, synced, then under its own name, and the folder
 * is synced. A reader finds the old file or the new one, also after a power cut. Leaves nothing where it
 * fails. Returns the stat of the new file.
 */
export function writeFile(
  at: FsPath,
  bytes: Uint8Array | readonly Uint8Array[],
  options: WriteOptions = {},
): BigIntStats {
  const file = new FileWriter(at, options);
  try {
    for (const part of bytes instanceof Uint8Array ? [bytes] : bytes) file.append(part);
    return file.finish();
  } finally {
    file.discard();
  }
}

/** As `writeFile`, for bytes that come one after the other. Whoever makes one must `discard` it in the end. */
export class FileWriter {
  readonly #at: FsPath;
  readonly #waiting: FsPath;
  readonly #options: WriteOptions;
  #fd: number | null;
  #length = 0;

  constructor(at: FsPath, options: WriteOptions = {}) {
    this.#at = at;
    this.#options = options;
    this.#waiting = options.waiting ?? beside(at, `.${randomBytes(8).toString('hex')}.tmp`);
    const unfinished = options.mode === undefined ? PRIVATE_MODE : UNFINISHED_MODE;
    this.#fd = options.nameless?.fd ?? create(this.#waiting, unfinished);
  }

  append(bytes: Uint8Array): void {
    writeAt(this.#open, bytes, this.#length);
    this.#length += bytes.length;
  }

  finish(): BigIntStats {
    const { mode, durable = true, onlyNew = false, beforeNaming, nameless } = this.#options;
    const fd = this.#open;
    if (mode !== undefined) fchmodSync(fd, mode);
    if (durable) fsyncSync(fd);
    const stats = fstatSync(fd, { bigint: true });
    beforeNaming?.();
    nameless?.giveName(String(this.#waiting));
    if (onlyNew) moveIntoPlace(this.#waiting, this.#at);
    else renameSync(this.#waiting, this.#at);
    this.#fd = null;
    closeSync(fd);
    if (durable) syncPath(beside(this.#at, '.'));
    return stats;
  }

  /** Removes the file that was begun. Does nothing to one that was finished. */
  discard(): void {
    const fd = this.#fd;
    if (fd === null) return;
    this.#fd = null;
    try {
      closeSync(fd);
      removeIfThere(this.#waiting);
    } catch {
      // The caller hears of the error that made it give up.
    }
  }

  get #open(): number {
    if (this.#fd === null) throw new Error('the file is finished or discarded');
    return this.#fd;
  }
}

/** Whether a file of this name is one that a process was writing when it died. */
export function isTemporary(name: string): boolean {
  return TEMPORARY_NAME.test(name);
}

/**
 * Makes a folder and those above it, for the owner alone, and the entries that name them durable. One that
 * is there already is synced as well, because a process that died may have made it and got no further;
 * those above it had been synced before it was made.
 */
export function makePrivateFolder(path: string): void {
  const parent = dirname(path);
  if (parent === path) return;
  if (!existsSync(path)) {
    makePrivateFolder(parent);
    mkdirSync(path, { recursive: true, mode: PRIVATE_FOLDER_MODE });
  }
  try {
    syncPath(parent);
  } catch (error) {
    // A folder that we may not read is none that we have made.
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
  }
}

/** Makes a file's bytes, or a folder's entries, survive a power cut. */
export function syncPath(path: FsPath): void {
  const fd = openSync(path, O_RDONLY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * The first half of a write, for a restore, which syncs and names many files together. Returns the
 * descriptor to sync and close. Leaves nothing where it fails. The file never gets set-id bits.
 */
export function createFile(at: FsPath, bytes: Uint8Array, mode: number): number {
  const fd = create(at, UNFINISHED_MODE);
  try {
    writeAt(fd, bytes, 0);
    fchmodSync(fd, mode & 0o1777);
    return fd;
  } catch (error) {
    try {
      closeSync(fd);
    } finally {
      removeIfThere(at);
    }
    throw error;
  }
}

/** A file that need not be durable, under a name that did not exist. Leaves nothing where it fails. */
export function writeNewFile(at: FsPath, bytes: Uint8Array, mode: number): void {
  closeSync(createFile(at, bytes, mode));
}

/** Always a name that did not exist: nothing of the user's is written into. */
function create(at: FsPath, mode: number): number {
  return openSync(at, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
}

/** With a position, so that a write that failed half way cannot have moved the next one. */
function writeAt(fd: number, bytes: Uint8Array, position: number): void {
  for (let written = 0; written < bytes.length; ) {
    const rest = bytes.length - written;
    written += writeSync(fd, bytes, written, rest, position + written);
  }
}

/** Whether a file was left by a process that was killed while it wrote. */
export function isTorn(at: FsPath): boolean {
  const mode = lstatSync(at, { throwIfNoEntry: false })?.mode ?? 0;
  return (mode & 0o777) === UNFINISHED_MODE;
}

/** Another entry of the folder in which `at` is. */
function beside(at: FsPath, name: string): FsPath {
  if (typeof at === 'string') return at.slice(0, at.lastIndexOf('/') + 1) + name;
  return Buffer.concat([at.subarray(0, at.lastIndexOf('/') + 1), Buffer.from(name)]);
}
