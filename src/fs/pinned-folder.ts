import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  statSync,
} from 'node:fs';
import { isSavepointError, SavepointError } from '../model/errors.ts';
import { isOutside, parentOf, pathToBytes, type TrackedPath } from '../model/path.ts';
import { SET_ID } from '../model/state.ts';

/** A path for file system calls: text, or bytes where a name is not UTF-8. */
export type FsPath = string | Buffer;

// Linux: a handle that needs no read permission on the folder. Not among node's constants.
export const O_PATH = 0o10000000;
const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
const HAS_PROC_FD = process.platform === 'linux' && existsSync('/proc/self/fd');

/**
 * A folder held by descriptor. Names are resolved against the folder itself, not against a path that
 * somebody may replace by a link in the meantime. Where there is no /proc, a checked path stands in,
 * with a window that docs/threat-model.md states.
 */
export class PinnedFolder {
  readonly #fd: number | null;
  readonly #base: FsPath;

  private constructor(fd: number | null, base: FsPath) {
    this.#fd = fd;
    this.#base = base;
  }

  /** A folder that is opened already, which is then closed with this. */
  static of(fd: number): PinnedFolder {
    return new PinnedFolder(fd, `/proc/self/fd/${fd}`);
  }

  /**
   * A folder by a path that the caller vouches for. `real`: the path was resolved; should it be a link by
   * now, it is not the folder that the caller means, and that is an error.
   */
  static at(path: string, how: 'real' | 'follow-link'): PinnedFolder {
    const flags = O_PATH | O_DIRECTORY | (how === 'real' ? O_NOFOLLOW : 0);
    return HAS_PROC_FD ? PinnedFolder.of(openSync(path, flags)) : new PinnedFolder(null, path);
  }

  /** Where to find an entry of this folder, for any call that does not follow a final link. */
  entry(name: string): FsPath {
    return joinBytes(this.#base, name);
  }

  self(): FsPath {
    return joinBytes(this.#base, '.');
  }

  /** A folder in this one; null where there is none. Throws `symlinked-parent` for a link. */
  child(name: string): PinnedFolder | null {
    const at = this.entry(name);
    if (this.#fd === null) {
      const kind = lstatSync(at, { throwIfNoEntry: false });
      if (kind?.isSymbolicLink()) throw symlinkedParent(name);
      return kind?.isDirectory() ? new PinnedFolder(null, at) : null;
    }
    try {
      return PinnedFolder.of(openSync(at, O_PATH | O_DIRECTORY | O_NOFOLLOW));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return null;
      if (code !== 'ENOTDIR' && code !== 'ELOOP') throw error;
      if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink()) throw symlinkedParent(name);
      return null;
    }
  }

  /** Makes a folder in this one, for the owner alone, unless there is something of that name. */
  makeChild(name: string): void {
    try {
      mkdirSync(this.entry(name), { mode: 0o700 });
    } catch (error) {
      // Another process was quicker, or somebody put a file there, which shows at the next step.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }

  /** Sets the permission bits of an entry that is no link; see `setPermissions`. */
  chmod(name: string, mode: number): void {
    if (this.#fd === null) {
      setPermissions(this.entry(name), mode);
      return;
    }
    const fd = openSync(this.entry(name), O_PATH | O_NOFOLLOW);
    try {
      setPermissions(`/proc/self/fd/${fd}`, mode);
    } finally {
      closeSync(fd);
    }
  }

  /** A descriptor of the folder by which its names can be synced; the caller closes it. */
  openSelf(): number {
    return openSync(this.self(), O_RDONLY | O_DIRECTORY);
  }

  /** The same for the mode of an entry. Null where it is gone or may not be read: it cannot be synced. */
  openToSync(name: string): number | null {
    return openIfReadable(this.entry(name));
  }

  close(): void {
    if (this.#fd !== null) closeSync(this.#fd);
  }
}

/**
 * Walks to a folder through no link and pins it. `folder` null is the root itself (of the
 * project, or of the file system for outside paths). Returns null when a component is missing or is
 * not a folder; throws `symlinked-parent` when one is a link.
 */
export function pinFolder(
  projectRoot: string,
  folder: TrackedPath | null,
  outside: boolean,
): PinnedFolder | null {
  const start = outside ? '/' : projectRoot;
  const names = folder === null ? [] : folder.split('/').filter((name) => name !== '');
  return openAtOnce(start, names) ?? walkOneByOne(start, names);
}

/** The folder that holds `path`, pinned. */
export function pinParent(projectRoot: string, path: TrackedPath): PinnedFolder | null {
  return pinFolder(projectRoot, parentOf(path), isOutside(path));
}

/** As `pinFolder`, and null behind a link as well: nothing of ours can stand there. */
export function pinFolderOrNull(
  projectRoot: string,
  folder: TrackedPath | null,
  outside: boolean,
): PinnedFolder | null {
  try {
    return pinFolder(projectRoot, folder, outside);
  } catch (error) {
    if (isSavepointError(error, 'symlinked-parent')) return null;
    throw error;
  }
}

/** As `pinParent`, and null behind a link as well. */
export function pinParentOrNull(projectRoot: string, path: TrackedPath): PinnedFolder | null {
  return pinFolderOrNull(projectRoot, parentOf(path), isOutside(path));
}

/**
 * A folder opened by its whole path. The kernel tells where the folder lies that it has opened: if that is
 * this very path, no link was gone through. Null otherwise.
 */
function openAtOnce(start: string, names: readonly string[]): PinnedFolder | null {
  const path = `${start === '/' ? '' : start}/${names.join('/')}`;
  // A single step takes no longer by itself.
  if (!HAS_PROC_FD || names.length < 2 || !isPlain(path)) return null;
  const fd = openOrNull(path);
  if (fd === null) return null;
  if (placeOf(`/proc/self/fd/${fd}`) === path) return PinnedFolder.of(fd);
  closeSync(fd);
  return null;
}

/** Whether the text that the kernel gives for a place names one place only. */
function isPlain(path: string): boolean {
  return path.isWellFormed() && !path.includes('\uFFFD') && !path.endsWith(' (deleted)');
}

function openOrNull(path: string): number | null {
  try {
    return openSync(path, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  } catch {
    return null;
  }
}

function placeOf(descriptor: string): string | null {
  try {
    return readlinkSync(descriptor);
  } catch {
    return null;
  }
}

function walkOneByOne(start: string, names: readonly string[]): PinnedFolder | null {
  let folder: PinnedFolder | null = PinnedFolder.at(start, 'real');
  for (const name of names) {
    const above: PinnedFolder = folder;
    try {
      folder = above.child(name);
    } finally {
      above.close();
    }
    if (folder === null) return null;
  }
  return folder;
}

function openIfReadable(at: FsPath): number | null {
  try {
    return openSync(at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'].includes(code)) return null;
    throw error;
  }
}

/**
 * Never sets a set-id bit of a file: one that is there stays if the mode has it, and is cleared otherwise. Setuid of
 * a folder, where it means nothing, stays as it is.
 */
export function setPermissions(at: FsPath, mode: number): void {
  const stats = statSync(at);
  if (stats.isDirectory()) chmodSync(at, (stats.mode & 0o4000) | (mode & 0o3777));
  else chmodSync(at, (stats.mode & mode & SET_ID) | (mode & 0o1777));
}

function symlinkedParent(name: string): SavepointError {
  return new SavepointError('symlinked-parent', 'a folder on the way is a symbolic link', {
    path: name,
    hint: 'replace the link by the folder it stands for, then try again',
  });
}

function joinBytes(base: FsPath, name: string): FsPath {
  if (typeof base === 'string' && name.isWellFormed()) {
    return base === '/' ? `/${name}` : `${base}/${name}`;
  }
  return Buffer.concat([Buffer.from(base), Buffer.from('/'), pathToBytes(name)]);
}
