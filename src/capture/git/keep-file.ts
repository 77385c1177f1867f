import {
  accessSync,
  constants,
  linkSync,
  lstatSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { chmod, copyFile, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Refusal } from './refusal.ts';

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
export async function keepFile(source: string, target: string, budget: CopyBudget): Promise<void> {
  const temporary = temporaryOf(target);
  rmSync(temporary, { force: true });
  if (!isLinked(source, temporary)) {
    if (!(await isCopied(source, temporary, budget))) throw new Refusal('too-large-to-copy');
    await syncFile(temporary);
  }
  renameSync(temporary, target);
  // Renaming one name of a file to another of the same file does nothing at all.
  rmSync(temporary, { force: true });
}

/**
 * Whether what is written to another name of the file is written to this one as well, and whoever runs
 * may do so: root always, others where the mode lets them.
 */
export function isShared(path: string): boolean {
  if ((lstatSync(path, { throwIfNoEntry: false })?.nlink ?? 0) < 2) return false;
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Puts copies in the place of shared files, all of them durable before the first gets its name. Past the
 * budget, or where the disk fails, files stay shared.
 */
export async function unshareFiles(paths: readonly string[], budget: CopyBudget): Promise<void> {
  const copied: string[] = [];
  try {
    for (const path of paths) {
      rmSync(temporaryOf(path), { force: true });
      if (await isCopied(path, temporaryOf(path), budget)) copied.push(path);
    }
    // One by one, each would wait for the disk again.
    await Promise.all(copied.map((path) => syncFile(temporaryOf(path))));
    for (const path of copied) renameSync(temporaryOf(path), path);
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).errno !== 'number') throw error;
  } finally {
    for (const path of paths) rmSync(temporaryOf(path), { force: true });
  }
}

function isLinked(source: string, target: string): boolean {
  try {
    linkSync(source, target);
    return true;
  } catch (error) {
    if (UNLINKABLE.includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/** A clone, which takes no room, or a copy within the budget. */
async function isCopied(source: string, target: string, budget: CopyBudget): Promise<boolean> {
  if (!(await isCloned(source, target))) {
    const { size } = statSync(source);
    if (size > Math.min(budget.bytes, freeBytes(dirname(target)))) return false;
    budget.bytes -= size;
    await copyFile(source, target, constants.COPYFILE_EXCL);
  }
  await chmod(target, 0o600);
  return true;
}

/** To fill a disk, only to take the copy away again, would help nobody. */
function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Any error counts as a no: the copy that follows meets it again, if it is more than that. */
async function isCloned(source: string, target: string): Promise<boolean> {
  try {
    await copyFile(source, target, constants.COPYFILE_FICLONE_FORCE | constants.COPYFILE_EXCL);
    return true;
  } catch {
    rmSync(target, { force: true });
    return false;
  }
}

/** As `syncPath`, off the main thread. */
async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

function temporaryOf(path: string): string {
  return `${path}.tmp`;
}
