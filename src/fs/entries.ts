import {
  type BigIntStats,
  close,
  constants,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statfsSync,
  statSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { type FsPath, O_PATH } from './pinned-folder.ts';

export type EntryKind = 'absent' | 'file' | 'symlink' | 'directory' | 'special';

/** What kind of entry a name is, links not followed. Throws where we may not look. */
export function kindOf(at: FsPath): EntryKind {
  const stats = lstatSync(at, { throwIfNoEntry: false });
  if (stats === undefined) return 'absent';
  if (stats.isSymbolicLink()) return 'symlink';
  if (stats.isDirectory()) return 'directory';
  return stats.isFile() ? 'file' : 'special';
}

/** The stat of an entry, links not followed. Throws where there is none. */
export function statOf(at: FsPath): BigIntStats {
  return lstatSync(at, { bigint: true });
}

/** The user that this process works for; undefined where the system has no numbers for users. */
export function ownUid(): number | undefined {
  return process.geteuid?.();
}

/** Whether a user is another one than that. Whoever asks for many files asks for the own number once. */
export function isOthers(uid: number, own: number | undefined = ownUid()): boolean {
  return own !== undefined && uid !== own;
}

/** The target of a link, as it is written in it. Throws where the entry is not a link. */
export function linkTarget(at: FsPath): Buffer {
  return readlinkSync(at, { encoding: 'buffer' });
}

/** The permission bits of an entry, with set-id and sticky bits; null where there is none. */
export function permissionsOf(at: FsPath): number | null {
  const stats = lstatSync(at, { throwIfNoEntry: false });
  return stats === undefined ? null : stats.mode & 0o7777;
}

export function isThere(at: FsPath): boolean {
  return lstatSync(at, { throwIfNoEntry: false }) !== undefined;
}

/** Whether a path leads to something, links followed. False also where we may not look. */
export function exists(path: string): boolean {
  return existsSync(path);
}

/** A path without links. Throws where it leads nowhere. */
export function realPath(path: string): string {
  return realpathSync.native(path);
}

/** As `realPath`, in bytes: names need not be UTF-8. */
export function realPathBytes(path: FsPath): Buffer {
  return realpathSync.native(path, { encoding: 'buffer' });
}

/** As `realPath`; null where the path leads nowhere, or may not be followed. */
export function realPathOrNull(path: string): string | null {
  try {
    return realPath(path);
  } catch {
    return null;
  }
}

// The number that the kernel gives its file systems of this kind.
const OVERLAYFS = 0x794c7630;

/** Whether a path is on an overlay: a folder there gets another birth time when it is first changed. */
export function isOnOverlay(path: string): boolean {
  return process.platform === 'linux' && statfsSync(path).type === OVERLAYFS;
}

/** How many bytes a regular file holds, links followed; null where there is none. */
export function fileSize(path: string): number | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() ? stats.size : null;
}

/** Removes a folder with all that is in it, and nothing that a link in it points to. */
export function removeTree(path: string): void {
  rmSync(path, { recursive: true, force: true });
}

/** Whether two names belong to one file or link. */
export function isOneFile(a: FsPath, b: FsPath): boolean {
  const one = lstatSync(a, { bigint: true, throwIfNoEntry: false });
  const other = lstatSync(b, { bigint: true, throwIfNoEntry: false });
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev;
}

/** Makes a folder. Throws EEXIST where something has the name. */
export function makeFolder(at: FsPath, mode: number): void {
  mkdirSync(at, mode);
}

/** A new folder of a random name that only its owner can look into. */
export function makeScratchFolder(parent: string, prefix: string): string {
  return mkdtempSync(join(parent, prefix));
}

/** Makes a folder and those above it. Returns the outermost that had to be made. */
export function makeFolders(path: string): string | undefined {
  return mkdirSync(path, { recursive: true });
}

/** Makes a symbolic link. Throws EEXIST where something has the name. */
export function makeLink(target: string | Uint8Array, at: FsPath): void {
  symlinkSync(typeof target === 'string' ? target : Buffer.from(target), at);
}

/** Gives an entry another name, replacing the entry that had it. */
export function move(from: FsPath, to: FsPath): void {
  renameSync(from, to);
}

/**
 * Gives a waiting file or link its real name as well, only if nothing stands there: unlike a rename, a
 * link never replaces what somebody has put there in the meantime. Throws EEXIST then. The file keeps the
 * name under which it waited, which shows that it is ours. Where a link is refused, for any reason, the
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
    // The file is in its place.
  }
}

/** Removes a file or link; that it is gone already is fine. */
export function removeIfThere(at: FsPath): void {
  try {
    unlinkSync(at);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** False for a folder that is not empty. */
export function removeFolder(at: FsPath): boolean {
  try {
    rmdirSync(at);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTEMPTY') return false;
    throw error;
  }
}

// A process with a low limit has need of its descriptors.
const MOST_HELD = 6;
let held = 0;

/**
 * As `removeIfThere`. To free the blocks of a file takes the file system longer than to remove its name,
 * and begins when nobody holds the file any more: so it is held until its name is gone, and let go on the
 * thread pool, where nobody waits for it.
 */
export function removeFreeingLater(at: FsPath): void {
  const fd = hold(at);
  try {
    removeIfThere(at);
  } finally {
    if (fd !== null) letGo(fd);
  }
}

/** Null where the file cannot be held: it is removed all the same. */
function hold(at: FsPath): number | null {
  if (process.platform !== 'linux' || held >= MOST_HELD) return null;
  try {
    return openSync(at, O_PATH | constants.O_NOFOLLOW);
  } catch {
    return null;
  }
}

/** Not at once: the file system would free this one's blocks and remove the next one's name in turns. */
function letGo(fd: number): void {
  held += 1;
  setImmediate(close, fd, () => {
    held -= 1;
  });
}

/** Linux links a symbolic link itself; elsewhere `link` goes on to what it points to. */
function canLink(waiting: FsPath): boolean {
  if (process.platform === 'linux') return true;
  return !lstatSync(waiting, { throwIfNoEntry: false })?.isSymbolicLink();
}

function alreadyThere(cause: unknown): Error {
  return Object.assign(new Error('file exists', { cause }), { code: 'EEXIST' });
}
