import {
  closeSync,
  constants,
  type Dirent,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
} from 'node:fs';
import { join } from 'node:path';
import { SavepointError } from '../../../model/errors.ts';

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;
const HAS_PROC_FD = process.platform === 'linux' && existsSync('/proc/self/fd');
const PRIVATE_FOLDER = 0o700;

/**
 * A folder of documents, held by descriptor: its names are looked up in the folder itself, not along a
 * path in which somebody may put a link meanwhile. Where there is no /proc, a checked path stands in, with
 * the window that docs/threat-model.md states.
 */
export class HeldFolder {
  readonly #fd: number;
  readonly #path: string;

  constructor(fd: number, path: string) {
    this.#fd = fd;
    this.#path = path;
  }

  /** For calls that do not follow a final link. */
  at(name: string): string {
    return HAS_PROC_FD ? `/proc/self/fd/${this.#fd}/${name}` : this.pathOf(name);
  }

  /** Where an entry is, for people. */
  pathOf(name: string): string {
    return join(this.#path, name);
  }

  has(name: string): boolean {
    return lstatSync(this.at(name), { throwIfNoEntry: false }) !== undefined;
  }

  entries(): Dirent[] {
    return readdirSync(this.at('.'), { withFileTypes: true });
  }

  /** Makes names that came and went survive a power cut. */
  sync(): void {
    fsyncSync(this.#fd);
  }

  /** A folder in this one; null where there is none. Throws `symlinked-parent` for a link. */
  child(name: string): HeldFolder | null {
    try {
      const fd = openSync(this.at(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      return new HeldFolder(fd, this.pathOf(name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw this.#isLink(name) ? symlinked(this.pathOf(name)) : error;
    }
  }

  /** Makes a folder in this one, unless there is something of that name. */
  make(name: string): void {
    try {
      mkdirSync(this.at(name), { mode: PRIVATE_FOLDER });
    } catch (error) {
      // Another process was quicker, or somebody put a file there, which shows at the next step.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }

  close(): void {
    closeSync(this.#fd);
  }

  #isLink(name: string): boolean {
    return lstatSync(this.at(name), { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  }
}

/**
 * Walks down from a folder that the caller vouches for. `find`: null where one on the way is missing.
 * `make`: that is made, and synced. `make-sure`: what is there is synced too.
 */
export function walkDown(
  start: string,
  names: readonly string[],
  how: 'find' | 'make' | 'make-sure' = 'find',
): HeldFolder | null {
  let folder = openStart(start);
  for (const name of names) {
    const above = folder;
    if (above === null) return null;
    try {
      folder = step(above, name, how);
    } finally {
      above.close();
    }
  }
  return folder;
}

function step(above: HeldFolder, name: string, how: 'find' | 'make' | 'make-sure') {
  const found = above.child(name);
  if (how === 'make-sure') above.sync();
  if (found !== null || how === 'find') return found;
  above.make(name);
  above.sync();
  return above.child(name);
}

function openStart(start: string): HeldFolder | null {
  try {
    return new HeldFolder(openSync(start, O_RDONLY | O_DIRECTORY), start);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function symlinked(path: string): SavepointError {
  return new SavepointError('symlinked-parent', 'a folder of documents is a symbolic link', {
    path,
    hint: 'replace the link by the folder it stands for, then try again',
  });
}
