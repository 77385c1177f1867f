import {
  closeSync,
  constants,
  fchmodSync,
  linkSync,
  lstatSync,
  openSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import type { FsPath } from './pinned-folder.ts';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/** The mode of a file that is not written to its end. No captured file has it: nobody could read it. */
const UNFINISHED_MODE = 0o200;

/**
 * The only place in which a restore writes bytes into a user's folder: always to a name that did not
 * exist. Returns the descriptor, by which the caller syncs the file before it gets its real name. Leaves
 * nothing where it fails.
 */
export function writeNewFile(at: FsPath, bytes: Uint8Array, mode: number): number {
  const fd = openSync(at, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, UNFINISHED_MODE);
  try {
    fill(fd, bytes, mode);
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

function fill(fd: number, bytes: Uint8Array, mode: number): void {
  for (let written = 0; written < bytes.length; ) {
    // By its place: what went before cannot have moved it.
    written += writeSync(fd, bytes, written, bytes.length - written, written);
  }
  fchmodSync(fd, mode);
}

/** Whether a file was left by a `writeNewFile` that was killed. */
export function isUnfinished(at: FsPath): boolean {
  const mode = lstatSync(at, { throwIfNoEntry: false })?.mode ?? 0;
  return (mode & 0o777) === UNFINISHED_MODE;
}

/**
 * Gives a waiting file or link its real name as well, only if nothing stands there: unlike a rename, a
 * link never replaces what somebody has put there in the meantime. Throws EEXIST then. It keeps the
 * name under which it waited, which shows whose it is. Where a link is refused, for whatever reason, the
 * file is renamed: a place may refuse links and nothing else, and the old file has left its name already.
 */
export function giveName(waiting: FsPath, place: FsPath): void {
  if (!canLink(waiting)) {
    symlinkSync(readlinkSync(waiting, { encoding: 'buffer' }), place);
    unlinkSync(waiting);
    return;
  }
  try {
    linkSync(waiting, place);
  } catch (error) {
    // A small window between this look and the rename: nothing else can be had there.
    if (isThere(place)) throw alreadyThere(error);
    renameSync(waiting, place);
  }
}

/** As `giveName`, and takes the other name away. A name that cannot be removed is left to the tidying up. */
export function moveIntoPlace(waiting: FsPath, place: FsPath): void {
  giveName(waiting, place);
  try {
    removeIfThere(waiting);
  } catch {
    // The file is in its place, which is what counts.
  }
}

/** Removes a companion file of ours; that it is gone already is fine. */
export function removeIfThere(at: FsPath): void {
  try {
    unlinkSync(at);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

export function isThere(at: FsPath): boolean {
  return lstatSync(at, { throwIfNoEntry: false }) !== undefined;
}

/** Whether two names belong to one file or link. */
export function isOneFile(a: FsPath, b: FsPath): boolean {
  const one = lstatSync(a, { bigint: true, throwIfNoEntry: false });
  const other = lstatSync(b, { bigint: true, throwIfNoEntry: false });
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev;
}

/** Linux links a symbolic link itself; elsewhere `link` goes on to what it points to. */
function canLink(waiting: FsPath): boolean {
  if (process.platform === 'linux') return true;
  return !lstatSync(waiting, { throwIfNoEntry: false })?.isSymbolicLink();
}

function alreadyThere(cause: unknown): Error {
  return Object.assign(new Error('file exists', { cause }), { code: 'EEXIST' });
}
