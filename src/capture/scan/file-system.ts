import { lstatSync, opendirSync, readdirSync } from 'node:fs';
import type { FsPath } from '../../fs/pinned-folder.ts';
import { readFile } from '../../fs/read-file.ts';
import { type Entry, entriesIn } from '../../fs/tree.ts';
import { pathToBytes } from '../../model/path.ts';
import type { EntryStat } from './entry-stat.ts';

/** The calls that a scan makes. A test can replace them to count them, or to make up results. */
export interface ScanFileSystem {
  /** Null when nothing is there. Throws when that cannot be found out, for example without permission. */
  lstat(path: string): EntryStat | null;
  list(path: string): Entry[];
  /** Whether a folder has at most so many entries. Does not read the rest. */
  hasAtMost(path: string, count: number): boolean;
  /** A whole regular file; null for a link, or a file of more than `limit` bytes. */
  read(path: string, limit: number): Uint8Array | null;
}

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
    if (entries.some((entry) => entry.name.includes(REPLACEMENT))) return entriesIn(at);
    return entries.map((entry) => ({ name: entry.name, isDirectory: entry.isDirectory() }));
  },
  hasAtMost(path, count) {
    const folder = opendirSync(fsPath(path));
    try {
      for (let found = 0; folder.readSync() !== null; found += 1) if (found === count) return false;
      return true;
    } finally {
      folder.closeSync();
    }
  },
  read(path, limit) {
    const found = readFile(fsPath(path), { maxBytes: limit });
    if (found.bytes === null && found.cause !== undefined && found.why !== 'link')
      throw found.cause;
    return found.bytes;
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
