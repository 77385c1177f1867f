import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { syncPath } from '../../fs/write-file.ts';
import type { GitBaseline } from './baseline.ts';
import { OID_SIZE } from './index-layout.ts';
import { type CopyBudget, isShared, keepFile, unshareFiles } from './keep-file.ts';
import { placesOf } from './object-places.ts';
import { Refusal, type RefusedByGit, refusedBy } from './refusal.ts';
import { objectsOf, openRepository, packNames } from './repository.ts';

// The last look only verifies. A gc that runs meanwhile moves objects to another pack, but once.
const ATTEMPTS = 4;
// Packs are copied if that is not much more than copying the files: a pack may hold a long history
// beside them.
const SMALL_COPY = 64 * 1024 * 1024;
// A pack counts when it has an index, which therefore comes last.
const FILES = ['.pack', '.idx'] as const;

/**
 * Keeps the packs of a baseline in `folder`, a bare repository of our own: a `gc` or a deleted `.git`
 * then loses nothing. A pack that nobody who runs as we do can overwrite is hard-linked; any other is
 * cloned or copied, because a link shares what is written through it. At most `room` bytes are copied.
 * Past that it refuses, so that the files are copied instead; where they have no room either, packs stay
 * shared (see `sharedBytes`). When it resolves to null all objects were seen there and are durable; when
 * it refuses, none may be relied on. Idempotent, and adds to what an earlier call kept. Never writes to
 * the user's `.git`.
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
 * The bytes of kept packs that a plain write to the repository's own file would overwrite: past the limit,
 * or made writable since.
 */
export function sharedBytes(folder: string): number {
  return sharedFiles(folder).reduce((sum, path) => sum + statSync(path).size, 0);
}

/** Makes such packs ours alone as far as the budget goes. Idempotent; the caller holds the project lock. */
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
  /** What was put into the folder. */
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

/** Refuses where not all of the packs would be ours alone, and before it copies any: clones cost nothing. */
async function makeOwn({ folder, budget, mayShare }: KeepTask): Promise<void> {
  const isEnough = mayShare || sharedBytes(folder) <= budget.bytes;
  await unshareObjects(folder, isEnough ? budget : { bytes: 0 });
  if (!mayShare && sharedBytes(folder) > 0) throw new Refusal('too-large-to-copy');
}

async function keepFound(task: KeepTask, present: ReadonlySet<string>): Promise<void> {
  for (const name of placesOf(task.source, task.oids).packs) {
    // One of this name holds the same objects; replacing it would gain nothing and could tear it.
    if (!present.has(name)) await keepPack(task, name);
  }
}

/** A pack that goes away under our hands is left out: the next look finds its objects elsewhere. */
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
  // Without it git does not see a repository. It names a branch that never comes to be.
  if (!existsSync(head)) writeFileSync(head, 'ref: refs/heads/none\n', { mode: 0o600 });
}

/** When all is there: the first sync then writes what the others would wait for. */
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
