import { readdirSync } from 'node:fs';
import { bytesToPath, childOf, isOutside, type TrackedPath } from '../model/path.ts';
import { type FsPath, type PinnedFolder, pinFolder } from './pinned-folder.ts';

/** The names in a folder, links not followed; null when it is not a folder or cannot be read. */
export function listNames(projectRoot: string, folder: TrackedPath): string[] | null {
  return withFolder(projectRoot, folder, (pinned) => namesIn(pinned.self()));
}

/**
 * Everything below a folder, parents before children; null past `limit` entries or where a folder
 * cannot be read, since half a list would be taken for the whole.
 */
export function listTree(
  projectRoot: string,
  folder: TrackedPath,
  limit: number,
): TrackedPath[] | null {
  const found: TrackedPath[] = [];
  const open: TrackedPath[] = [folder];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const entries = withFolder(projectRoot, at, (pinned) => entriesIn(pinned.self()));
    if (entries === null || found.length + entries.length > limit) return null;
    for (const entry of entries) {
      const path = childOf(at, entry.name);
      found.push(path);
      if (entry.isDirectory) open.push(path);
    }
  }
  return found;
}

export interface Entry {
  readonly name: string;
  readonly isDirectory: boolean;
}

function withFolder<T>(
  projectRoot: string,
  folder: TrackedPath,
  read: (pinned: PinnedFolder) => T,
): T | null {
  const pinned = pinFolder(projectRoot, folder, isOutside(folder));
  if (pinned === null) return null;
  try {
    return read(pinned);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(code)) return null;
    throw error;
  } finally {
    pinned.close();
  }
}

/** The names in a folder. Throws where it cannot be read. */
export function namesIn(folder: FsPath): string[] {
  return readdirSync(folder, { encoding: 'buffer' }).map(bytesToPath);
}

/** As `namesIn`, with what a walk needs to know of each. */
export function entriesIn(folder: FsPath): Entry[] {
  return readdirSync(folder, { encoding: 'buffer', withFileTypes: true }).map((entry) => ({
    name: bytesToPath(entry.name),
    isDirectory: entry.isDirectory(),
  }));
}
