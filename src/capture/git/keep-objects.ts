import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { GitBaseline } from './baseline.ts';
import { OID_SIZE } from './index-layout.ts';
import { type CopyBudget, type Kept, keepFile, makeFolder, syncPath } from './keep-file.ts';
import { looseName, type ObjectPlaces, placesOf } from './object-places.ts';
import { Refusal, type RefusedByGit, refusedBy } from './refusal.ts';
import { objectsOf, openRepository } from './repository.ts';

/** How the objects were kept: packs (each with its index) and loose objects count as one each. */
export interface KeptFiles {
  readonly linked: number;
  readonly copied: number;
}

// The last look only verifies. A gc that runs meanwhile moves objects to another pack, but once.
const ATTEMPTS = 4;
// Where links are impossible, packs are copied if that is not much more than copying the files: a
// pack may hold a long history beside them.
const SMALL_COPY = 64 * 1024 * 1024;

/**
 * Keeps the objects of a baseline in `folder`, a bare repository of our own: a `gc` or a deleted `.git`
 * then loses nothing. Packs and loose objects are hard-linked, or copied where they cannot be. When it
 * resolves all of them were seen there and are durable; when it refuses, none may be relied on.
 * Idempotent, and adds to what an earlier call kept. Never writes to the user's `.git`.
 */
export async function keepObjects(
  root: string,
  folder: string,
  baseline: GitBaseline,
): Promise<KeptFiles | RefusedByGit> {
  try {
    const source = objectsOf(openRepository(root).commonDir);
    makeStore(folder);
    return await keepAll({ source, target: objectsOf(folder), ...listOf(baseline) });
  } catch (error) {
    return refusedBy(error);
  }
}

interface KeepTask {
  readonly source: string;
  readonly target: string;
  /** Ids of 20 bytes, one after the other. */
  readonly oids: Buffer;
  readonly budget: CopyBudget;
}

async function keepAll(task: KeepTask): Promise<KeptFiles> {
  const counts = { linked: 0, copied: 0 };
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const present = placesOf(task.target, task.oids);
    if (present.missing.length === 0) {
      syncAll(task, present);
      return counts;
    }
    await keepFound(task, new Set(filesOf(task, present).flat()), counts);
  }
  throw new Refusal('objects-gone');
}

async function keepFound(
  task: KeepTask,
  present: ReadonlySet<string>,
  counts: Record<Kept, number>,
): Promise<void> {
  for (const names of filesOf(task, placesOf(task.source, task.oids))) {
    // One of this name holds the same objects; replacing it would gain nothing and could tear it.
    if (names.every((name) => present.has(name))) continue;
    const kept = await keepTogether(task, names);
    if (kept !== null) counts[kept] += 1;
  }
}

/** Files that are kept together, by their names below the folder of objects. */
function filesOf({ oids }: KeepTask, { packs, loose }: ObjectPlaces): string[][] {
  // A pack counts for git when it has an index, which therefore comes last.
  return [
    ...packs.map((name) => ['.pack', '.idx'].map((ending) => join('pack', name + ending))),
    ...loose.map((i) => [looseName(oids, i)]),
  ];
}

/** Null when they went away under our hands: the next look will find the objects elsewhere. */
async function keepTogether(task: KeepTask, names: readonly string[]): Promise<Kept | null> {
  let how: Kept | null = null;
  try {
    for (const name of names) {
      makeFolder(dirname(join(task.target, name)));
      how = await keepFile(join(task.source, name), join(task.target, name), task.budget);
    }
    return how;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function makeStore(folder: string): void {
  for (const name of ['refs', join('objects', 'pack')]) makeFolder(join(folder, name));
  const head = join(folder, 'HEAD');
  // Without it git does not see a repository. It names a branch that never comes to be.
  if (!existsSync(head)) writeFileSync(head, 'ref: refs/heads/none\n', { mode: 0o600 });
  syncPath(head);
  syncPath(folder);
}

/** After all the links: the first sync then writes what the others would wait for. */
function syncAll(task: KeepTask, present: ObjectPlaces): void {
  const files = filesOf(task, present)
    .flat()
    .map((name) => join(task.target, name));
  for (const file of files) syncPath(file);
  for (const parent of new Set(files.map((file) => dirname(file)))) syncPath(parent);
}

function listOf(baseline: GitBaseline): Pick<KeepTask, 'oids' | 'budget'> {
  const oids = Buffer.alloc(baseline.count * OID_SIZE);
  const budget = { bytes: SMALL_COPY };
  let at = 0;
  for (const { oid, size } of baseline.entries) {
    at += oid.copy(oids, at);
    budget.bytes += 2 * size;
  }
  return { oids, budget };
}
