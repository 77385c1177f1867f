import {
  closeSync,
  constants,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { chmod, copyFile, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Refusal } from './refusal.ts';

export type Kept = 'linked' | 'copied';

/** Where a hard link cannot be: another device, a file system without them, too many, not ours. */
const UNLINKABLE = ['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES'];

/** How many bytes may be copied yet. */
export interface CopyBudget {
  bytes: number;
}

/**
 * Gives a file a second name, or where that is impossible a copy. A link shares its inode with the
 * user's own file: it is only ever read and unlinked, never opened for writing, never given a mode.
 */
export async function keepFile(source: string, target: string, budget: CopyBudget): Promise<Kept> {
  const temporary = `${target}.tmp`;
  rmSync(temporary, { force: true });
  const kept = linkOrNull(source, temporary) ?? (await copyPrivately(source, temporary, budget));
  renameSync(temporary, target);
  // Renaming one name of a file to another of the same file does nothing at all.
  rmSync(temporary, { force: true });
  return kept;
}

/** Makes a folder and those above it; each new one is synced into its parent. */
export function makeFolder(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
  syncPath(dirname(path));
}

/** Makes a file's bytes, or a folder's entries, survive a power cut. */
export function syncPath(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function linkOrNull(source: string, target: string): Kept | null {
  try {
    linkSync(source, target);
    return 'linked';
  } catch (error) {
    if (UNLINKABLE.includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

async function copyPrivately(source: string, target: string, budget: CopyBudget): Promise<Kept> {
  budget.bytes -= statSync(source).size;
  if (budget.bytes < 0) throw new Refusal('too-large-to-copy');
  await copyFile(source, target, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  await chmod(target, 0o600);
  const file = await open(target, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
  return 'copied';
}
