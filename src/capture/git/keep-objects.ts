import {
  accessSync,
  constants,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { chmod, copyFile, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncPath } from '../../fs/write-file.ts';
import type { GitBaseline } from './baseline.ts';
import { OID_SIZE } from './git-index.ts';
import { placesOf } from './packs.ts';
import { Refusal, type RefusedByGit, refusedBy } from './refusal.ts';
import { objectsOf, openRepository, packNames } from './repository.ts';

// The last attempt only verifies. A gc that runs meanwhile moves objects to another pack, but only once.
const ATTEMPTS = 4;
// Packs are copied if they are not much larger than the files: a pack may hold a long history as well.
const SMALL_COPY = 64 * 1024 * 1024;
// Git uses a pack only if it has an index, so the index is written last.
const FILES = ['.pack', '.idx'] as const;

/**
 * Keeps the packs of a baseline in `folder`, a bare repository of our own: a `gc` or a deleted `.git`
 * then loses nothing. A pack that this user cannot overwrite is hard-linked; any other is cloned or copied,
 * because a write to one name of a hard link changes both. At most `room` bytes are copied. If that is
 * not enough, it refuses, so that the files are copied instead; if they do not fit either, packs stay
 * shared (see `sharedBytes`). When it resolves to null, all objects were seen there and are durable; when
 * it refuses, rely on none. Idempotent, and adds to the packs of an earlier call. Never writes to the
 * user's `.git`.
 */
export async function keepObjects(
  root: string,
  folder: string,
  baseline: GitBaseline,
  room: number,
): Promise<RefusedByGit | null> {
  const added = new Set<string>();
  try {
    const source = objectsOf(openRepository(root).commonDir);
    makeStore(folder);
    await keepAll({ source, folder, added, ...limitsOf(baseline, room) });
    return null;
  } catch (error) {
    for (const path of added) rmSync(path, { force: true });
    return refusedBy(error);
  }
}

/**
 * The bytes of kept packs that a write to the repository's own file would overwrite: packs that were too
 * large to copy, or became writable later.
 */
export function sharedBytes(folder: string): number {
  return sharedFiles(folder).reduce((sum, path) => sum + statSync(path).size, 0);
}

/** Copies such packs as far as the budget goes. Idempotent; the caller holds the project lock. */
export async function unshareObjects(folder: string, budget: CopyBudget): Promise<void> {
  const shared = sharedFiles(folder);
  await unshareFiles(shared, budget);
  if (shared.length > 0) syncPath(packFolder(folder));
}

interface KeepTask {
  readonly source: string;
  readonly folder: string;
  /** Ids of 20 bytes, one after the other. */
  readonly oids: Buffer;
  readonly budget: CopyBudget;
  /** Whether packs may stay shared past the budget. */
  readonly mayShare: boolean;
  /** The files that were put into the folder. */
  readonly added: Set<string>;
}

async function keepAll(task: KeepTask): Promise<void> {
  const { folder, oids } = task;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const { packs, missing } = placesOf(objectsOf(folder), oids);
    if (missing.length === 0) {
      await makeOwn(task);
      syncAll(folder, packs);
      return;
    }
    await keepFound(task, new Set(packs));
  }
  throw new Refusal('objects-gone');
}

/** Refuses if not all packs can be copied, before it copies any; clones cost nothing. */
async function makeOwn({ folder, budget, mayShare }: KeepTask): Promise<void> {
  const isEnough = mayShare || sharedBytes(folder) <= budget.bytes;
  await unshareObjects(folder, isEnough ? budget : { bytes: 0 });
  if (!mayShare && sharedBytes(folder) > 0) throw new Refusal('too-large-to-copy');
}

async function keepFound(task: KeepTask, present: ReadonlySet<string>): Promise<void> {
  for (const name of placesOf(task.source, task.oids).packs) {
    // A pack of this name holds the same objects; to replace it would gain nothing and could tear it.
    if (!present.has(name)) await keepPack(task, name);
  }
}

/** Leaves out a pack that git removes meanwhile: the next attempt finds its objects in another one. */
async function keepPack({ source, folder, budget, added }: KeepTask, name: string): Promise<void> {
  try {
    for (const ending of FILES) {
      const target = packFile(folder, name + ending);
      const isNew = !existsSync(target);
      await keepFile(join(source, 'pack', name + ending), target, budget);
      if (isNew) added.add(target);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function makeStore(folder: string): void {
  for (const path of [join(folder, 'refs'), packFolder(folder)]) {
    mkdirSync(path, { mode: 0o700, recursive: true });
  }
  const head = join(folder, 'HEAD');
  // Without HEAD git does not recognize a repository. It names a branch that never exists.
  if (!existsSync(head)) writeFileSync(head, 'ref: refs/heads/none\n', { mode: 0o600 });
}

/** Called when all files are there: the first sync then writes the data of the others too. */
function syncAll(folder: string, packs: readonly string[]): void {
  const files = packs.flatMap((name) => FILES.map((ending) => packFile(folder, name + ending)));
  const folders = [packFolder(folder), objectsOf(folder), folder, dirname(folder)];
  for (const path of [...files, join(folder, 'HEAD'), ...folders]) syncPath(path);
}

function limitsOf(
  baseline: GitBaseline,
  room: number,
): Pick<KeepTask, 'oids' | 'budget' | 'mayShare'> {
  const oids = Buffer.alloc(baseline.count * OID_SIZE);
  let at = 0;
  let bytes = 0;
  for (const { oid, size } of baseline.entries) {
    at += oid.copy(oids, at);
    bytes += size;
  }
  const budget = { bytes: Math.min(room, SMALL_COPY + 2 * bytes) };
  return { oids, budget, mayShare: bytes > room };
}

function sharedFiles(folder: string): string[] {
  return packNames(objectsOf(folder))
    .filter((name) => FILES.some((ending) => name.endsWith(ending)))
    .map((name) => packFile(folder, name))
    .filter(isShared);
}

function packFolder(folder: string): string {
  return join(objectsOf(folder), 'pack');
}

function packFile(folder: string, name: string): string {
  return join(packFolder(folder), name);
}

/** Errors where no hard link is possible: another device, no support, too many links, not our file. */
const UNLINKABLE = ['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES'];

/** How many bytes may still be copied. */
export interface CopyBudget {
  bytes: number;
}

/**
 * Links a file, or copies it where that is impossible. A link shares its inode with the user's own file,
 * so it may only be read and unlinked: never open it for writing, never change its mode.
 */
export async function keepFile(source: string, target: string, budget: CopyBudget): Promise<void> {
  const temporary = temporaryOf(target);
  rmSync(temporary, { force: true });
  if (!tryLink(source, temporary)) {
    if (!(await tryCopy(source, temporary, budget))) throw new Refusal('too-large-to-copy');
    await syncFile(temporary);
  }
  renameSync(temporary, target);
  // `rename` does nothing if both names are links to the same file.
  rmSync(temporary, { force: true });
}

/** Whether the file has another name, and this user may write to it (root always may). */
function isShared(path: string): boolean {
  if ((lstatSync(path, { throwIfNoEntry: false })?.nlink ?? 0) < 2) return false;
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Replaces shared files by copies, all of them durable before the first gets its name. Files beyond the
 * budget stay shared, and so do all if the disk fails.
 */
async function unshareFiles(paths: readonly string[], budget: CopyBudget): Promise<void> {
  const copied: string[] = [];
  try {
    for (const path of paths) {
      rmSync(temporaryOf(path), { force: true });
      if (await tryCopy(path, temporaryOf(path), budget)) copied.push(path);
    }
    // All at once: one by one, each sync would wait for the disk again.
    await Promise.all(copied.map((path) => syncFile(temporaryOf(path))));
    for (const path of copied) renameSync(temporaryOf(path), path);
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).errno !== 'number') throw error;
  } finally {
    for (const path of paths) rmSync(temporaryOf(path), { force: true });
  }
}

/** False where the file system or the owner allows no link. */
function tryLink(source: string, target: string): boolean {
  try {
    linkSync(source, target);
    return true;
  } catch (error) {
    if (UNLINKABLE.includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/** Makes a clone, which takes no room, or a copy within the budget. False where the copy would not fit. */
async function tryCopy(source: string, target: string, budget: CopyBudget): Promise<boolean> {
  if (!(await tryClone(source, target))) {
    const { size } = statSync(source);
    if (size > Math.min(budget.bytes, freeBytes(dirname(target)))) return false;
    budget.bytes -= size;
    await copyFile(source, target, constants.COPYFILE_EXCL);
  }
  await chmod(target, 0o600);
  return true;
}

/** Asked first, so that a copy that does not fit never fills the disk. */
function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** False on any error; a real problem with the disk shows again in the copy that follows. */
async function tryClone(source: string, target: string): Promise<boolean> {
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
