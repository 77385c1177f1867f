import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
} from 'node:fs';
import type { FsPath } from '../../fs/pinned-folder.ts';
import { bytesToPath, pathToBytes } from '../../model/path.ts';
import type { EntryStat } from './entry-stat.ts';

export interface ListedName {
  readonly name: string;
  readonly isDirectory: boolean;
}

export interface ReadFile {
  readonly stat: EntryStat;
  readonly bytes: Uint8Array;
}

/** The calls that a scan makes. A test can replace them to count them, or to make up results. */
export interface ScanFileSystem {
  /** Null when nothing is there. Throws when that cannot be found out, for example without permission. */
  lstat(path: string): EntryStat | null;
  list(path: string): ListedName[];
  /** Reads a whole regular file of at most `limit` bytes, following no final link; null otherwise. */
  readSmall(path: string, limit: number): ReadFile | null;
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
const STAT_OPTIONS = { throwIfNoEntry: false } as const;
const REPLACEMENT = '\ufffd';

/*
 * It uses plain paths, not descriptors. So a folder may be swapped for a link between two calls, and the
 * names and stats may come from elsewhere. That is harmless: the walk only notes names and stats, content
 * is read through descriptors, which refuse the link, and the swap moves the stamp of the parent folder,
 * so that the next scan looks again.
 */
export const diskFileSystem: ScanFileSystem = {
  lstat(path) {
    try {
      return lstatSync(fsPath(path), STAT_OPTIONS) ?? null;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  },
  list(path) {
    const at = fsPath(path);
    const entries = readdirSync(at, { withFileTypes: true });
    // Where a name is not UTF-8, decoding leaves this character; then the names are read as bytes.
    if (entries.some((entry) => entry.name.includes(REPLACEMENT))) return listBytes(at);
    return entries.map((entry) => ({ name: entry.name, isDirectory: entry.isDirectory() }));
  },
  readSmall(path, limit) {
    // O_NONBLOCK: opening a FIFO must not hang.
    const fd = openSync(fsPath(path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const stat = fstatSync(fd);
      if (!stat.isFile() || stat.size > limit) return null;
      const bytes = Buffer.alloc(stat.size);
      return { stat, bytes: bytes.subarray(0, readFully(fd, bytes)) };
    } finally {
      closeSync(fd);
    }
  },
};

/** Whether an error says that nothing is there, or no longer. */
export function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error));
}

/** Whether an error is about the file system, and not about our own process or program. */
export function isUnreadable(error: unknown): boolean {
  const code = codeOf(error);
  return code !== '' && !['EMFILE', 'ENFILE', 'ENOMEM'].includes(code);
}

function codeOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException | null)?.code ?? '';
  return /^E[A-Z0-9]+$/.test(code) ? code : '';
}

function fsPath(path: string): FsPath {
  return path.isWellFormed() ? path : Buffer.from(pathToBytes(path));
}

function listBytes(at: FsPath): ListedName[] {
  return readdirSync(at, { withFileTypes: true, encoding: 'buffer' }).map((entry) => ({
    name: bytesToPath(entry.name),
    isDirectory: entry.isDirectory(),
  }));
}

function readFully(fd: number, bytes: Buffer): number {
  let length = 0;
  while (length < bytes.length) {
    const read = readSync(fd, bytes, length, bytes.length - length, length);
    if (read === 0) break;
    length += read;
  }
  return length;
}
