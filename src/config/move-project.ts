import { join } from 'node:path';
import { exists, move, realPathOrNull, removeTree } from '../fs/entries.ts';
import { readFile } from '../fs/read-file.ts';
import { namesIn } from '../fs/tree.ts';
import { makePrivateFolder, syncPath, writeFile } from '../fs/write-file.ts';
import {
  carryLateDocuments,
  carryStore,
  type DocumentPlan,
  isSavepointError,
  type OnProgress,
  planDocuments,
  SavepointError,
  type Store,
  sqliteStore,
  storeDirectory,
  withProjectLock,
} from '../index.ts';
import { AMOUNT, accepts, branded, exact, type Kind, listOf, TEXT } from '../model/check.ts';
import { type Surroundings, storeHome } from './find-project.ts';
import {
  openOnServer,
  PATIENT,
  SERVER_FILE,
  serverOptions,
  serverProject,
} from './project-store.ts';
import type { DatabaseSettings } from './settings.ts';

export interface MoveRequest {
  readonly root: string;
  readonly database: DatabaseSettings;
  readonly lockTimeoutMs: number;
  readonly onProgress?: OnProgress;
}

const DATABASE = 'store.db';
/** What a store in a folder consists of. Locks stay, since every store of the folder has the same. */
const OF_FOLDER = [
  DATABASE,
  `${DATABASE}-wal`,
  `${DATABASE}-shm`,
  'blobs',
  'arrivals',
  'packs',
  'git',
  'damaged',
] as const;
/** Where the other store is made. Nobody looks there until it is whole. */
const STAGING = 'moving';
const ASIDE = 'set-aside-';

/**
 * Carries the timeline of a project from its folder to a server. Until every row and content there is compared, the
 * folder is what counts. One rename makes the server count; the old store is set aside in the project's private folder.
 * Where an earlier move got as far as that rename, what it had left to do is done instead.
 */
export async function moveToServer(
  surroundings: Surroundings,
  project: string,
  request: MoveRequest,
): Promise<void> {
  const directory = directoryOf(surroundings, request);
  if (isUnfinished(directory)) return finishMove(surroundings, directory, request);
  if (exists(join(directory, SERVER_FILE))) throw alreadyThere(request, 'on a server');
  if (!exists(join(directory, DATABASE))) {
    const message = `nothing is recorded in ${request.root} yet`;
    const hint =
      'begin with: savepoint save -m LABEL; or join a project: savepoint store join PROJECT';
    throw new SavepointError('store-missing', message, { path: request.root, hint });
  }
  const from = await sqliteStore({ directory, create: false });
  await whileLocked(from, request, async () => {
    const staging = await emptyStaging(directory, request.database);
    try {
      const to = await openOnServer({ project, directory: staging }, { surroundings, ...request });
      await whileLocked(to, request, async () => {
        const documents = await planDocuments(from, to);
        const plan = { ...documents, aside: newAside(directory) };
        writeFile(join(staging, PLAN_FILE), Buffer.from(JSON.stringify(plan)));
        await carryStore(from, to, { documents, onProgress: request.onProgress });
        move(join(staging, SERVER_FILE), join(directory, SERVER_FILE));
        syncPath(directory);
        await finishOnServer(directory, plan, from, to);
      });
    } catch (error) {
      // As if nothing had been tried. Where that fails too, the next try or `clean` does it.
      const isSwitched = exists(join(directory, SERVER_FILE));
      if (!isSwitched && !isSavepointError(error, 'store-unreachable')) {
        await removeLeft(staging, request.database).catch(() => undefined);
      }
      throw error;
    }
    removeTree(staging);
  });
}

/** What a move to a server keeps beside the new store until it is over. */
interface MovePlan extends DocumentPlan {
  /** The name of the folder in which the old store is set aside. */
  readonly aside: string;
}

const PLAN_FILE = 'documents.json';
type PlannedDocument = DocumentPlan['fresh'][number];
const ROOT = branded<PlannedDocument['root']>(TEXT);
const DOCUMENTS: Kind<readonly PlannedDocument[]> = listOf(
  exact({ category: TEXT, key: TEXT, root: ROOT, savedAt: AMOUNT }),
);
const MOVE_PLAN: Kind<MovePlan> = exact({ aside: TEXT, fresh: DOCUMENTS, same: DOCUMENTS });

/** Null where the move did not get as far as that. */
function planIn(staging: string): MovePlan | null {
  const path = join(staging, PLAN_FILE);
  if (!exists(path)) return null;
  try {
    const value: unknown = JSON.parse(String(readFile(path).bytes));
    if (accepts(MOVE_PLAN, value)) return value;
  } catch {
    // As a file with something else in it.
  }
  throw new SavepointError('store-corrupt', 'the file of a move that was interrupted is damaged', {
    path,
    hint: 'remove the file and try again; documents that the move has carried over stay on the server',
  });
}

/** Whether a move to the server has ended right after the server began to count. */
function isUnfinished(directory: string): boolean {
  const staging = join(directory, STAGING);
  const isSwitched = exists(join(directory, SERVER_FILE)) && !exists(join(staging, SERVER_FILE));
  return isSwitched && exists(join(staging, PLAN_FILE));
}

async function finishMove(
  surroundings: Surroundings,
  directory: string,
  request: MoveRequest,
): Promise<void> {
  const { project } = serverProject(directory) as { readonly project: string };
  const to = await openOnServer({ project, directory }, { surroundings, ...request });
  await whileLocked(to, request, async () => {
    // Another process may have done it meanwhile.
    const plan = isUnfinished(directory) ? planIn(join(directory, STAGING)) : null;
    if (plan === null) return;
    await finishOnServer(directory, plan, null, to);
    removeTree(join(directory, STAGING));
  });
}

/**
 * Sets the old store aside, and carries over what programs have saved there since the documents were listed: they
 * write without the lock until they notice that their store is gone from its place. `from` is null where no store
 * is open yet.
 */
async function finishOnServer(
  directory: string,
  plan: MovePlan,
  from: Store | null,
  to: Store,
): Promise<void> {
  const aside = join(directory, plan.aside);
  try {
    // Both are there if somebody has made a new one since, which is not ours to move.
    if (!exists(join(aside, DATABASE)) || !exists(join(directory, DATABASE))) {
      setAside(directory, OF_FOLDER, plan.aside);
    }
    if (from !== null) return await carryLateDocuments(from, to, plan);
    // Somebody may have removed it.
    if (!exists(join(aside, DATABASE))) return;
    const old = await sqliteStore({ directory: aside, create: false });
    await carryLateDocuments(old, to, plan).finally(() => old.close());
  } catch (error) {
    throw documentsMissing('on the server', error, {
      hint: 'nothing is lost: they are in the store that is set aside; carry them over with: savepoint store move --to server PROJECT',
      path: aside,
    });
  }
}

function documentsMissing(
  where: string,
  cause: unknown,
  about: { readonly hint: string; readonly path?: string },
): SavepointError {
  const code = isSavepointError(cause) ? cause.code : 'store-failed';
  const why = cause instanceof Error ? cause.message : String(cause);
  const message = `the timeline is ${where} now, but documents that programs saved during the move may be missing there (${why})`;
  return new SavepointError(code, message, { ...about, cause });
}

/** The way back. The worktree stays on the server until it is removed with `cleanProject`. */
export async function moveToFolder(
  surroundings: Surroundings,
  request: MoveRequest,
): Promise<void> {
  const directory = directoryOf(surroundings, request);
  if (isUnfinished(directory)) await finishMove(surroundings, directory, request);
  const known = serverProject(directory);
  if (known === null) throw alreadyThere(request, 'in a folder');
  const from = await openOnServer({ ...known, directory }, { surroundings, ...request });
  await whileLocked(from, request, async () => {
    // An interrupted move has left it; what counts is on the server.
    setAside(directory, OF_FOLDER, newAside(directory));
    const staging = await emptyStaging(directory, request.database);
    const to = await sqliteStore({ directory: staging });
    let documents: DocumentPlan = { fresh: [], same: [] };
    await whileLocked(to, request, async () => {
      documents = await planDocuments(from, to);
      await carryStore(from, to, { documents, onProgress: request.onProgress });
    });
    for (const name of OF_FOLDER) {
      if (exists(join(staging, name))) move(join(staging, name), join(directory, name));
    }
    syncPath(directory);
    setAside(directory, [SERVER_FILE], newAside(directory));
    removeTree(staging);
    await finishInFolder(directory, documents, from);
  });
}

/** Programs can go on to save documents on the server, with `PostgresStorage`: those stay there. */
async function finishInFolder(directory: string, plan: DocumentPlan, from: Store): Promise<void> {
  try {
    const moved = await sqliteStore({ directory, create: false });
    await carryLateDocuments(from, moved, plan).finally(() => moved.close());
  } catch (error) {
    throw documentsMissing('in the folder', error, {
      hint: 'nothing is lost: they stay on the server, where PostgresStorage reads them',
    });
  }
}

/** Folders with stores that moves have left, oldest first, and last the one of a move that did not get to its end. */
export function setAsideIn(surroundings: Surroundings, root: string): string[] {
  const directory = directoryOf(surroundings, { root });
  const names = exists(directory) ? namesIn(directory) : [];
  const isLeft = names.includes(STAGING) && !isUnfinished(directory);
  return [
    ...names.filter((name) => name.startsWith(ASIDE)).sort(),
    ...(isLeft ? [STAGING] : []),
  ].map((name) => join(directory, name));
}

/**
 * Removes folders of `setAsideIn` for good: the files, and on a server the timeline. A move to the server that has only
 * documents left to carry is finished first. Throws `store-locked` while a move is at work.
 */
export async function cleanProject(
  surroundings: Surroundings,
  folders: readonly string[],
  request: MoveRequest,
): Promise<void> {
  const directory = directoryOf(surroundings, request);
  if (isUnfinished(directory)) await finishMove(surroundings, directory, request);
  await withProjectLock(directory, request.lockTimeoutMs, async () => {
    const left = setAsideIn(surroundings, request.root).filter((one) => folders.includes(one));
    for (const folder of left) await removeLeft(folder, request.database);
  });
}

async function removeLeft(folder: string, database: DatabaseSettings): Promise<void> {
  const known = serverProject(folder);
  if (known !== null) {
    const { removeWorktree } = await import('../store/postgres/index.ts');
    const place = { ...known, directory: folder, documents: planIn(folder)?.fresh ?? [] };
    try {
      await removeWorktree({ ...serverOptions(database), ...PATIENT, ...place });
    } catch (error) {
      // It is not on this server, or not any more.
      if (!isSavepointError(error, 'project-mismatch')) throw error;
    }
  }
  removeTree(folder);
}

/** What a move that was interrupted has left there goes, on the server as well. */
async function emptyStaging(directory: string, database: DatabaseSettings): Promise<string> {
  const staging = join(directory, STAGING);
  if (exists(staging)) await removeLeft(staging, database);
  makePrivateFolder(staging);
  return staging;
}

async function whileLocked(
  store: Store,
  { lockTimeoutMs }: MoveRequest,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await store.lock({ timeoutMs: lockTimeoutMs });
    await work();
  } finally {
    await store.close();
  }
}

/** Moves what is there of these into a folder of this name, which stays until somebody removes it. */
function setAside(directory: string, names: readonly string[], aside: string): void {
  const there = names.filter((name) => exists(join(directory, name)));
  if (there.length === 0) return;
  const folder = join(directory, aside);
  makePrivateFolder(folder);
  for (const name of there) move(join(directory, name), join(folder, name));
  syncPath(folder);
  syncPath(directory);
}

/** A name that no folder has yet. */
function newAside(directory: string): string {
  const name = `${ASIDE}${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;
  for (let count = 1; ; count += 1) {
    const numbered = count === 1 ? name : `${name}-${count}`;
    if (!exists(join(directory, numbered))) return numbered;
  }
}

function alreadyThere({ root }: MoveRequest, where: string): SavepointError {
  return new SavepointError('project-mismatch', `the timeline of ${root} is ${where} already`, {
    path: root,
    hint: 'see where it is kept with: savepoint store',
  });
}

function directoryOf(surroundings: Surroundings, { root }: Pick<MoveRequest, 'root'>): string {
  const real = realPathOrNull(root) ?? root;
  return storeDirectory(realPathOrNull(storeHome(surroundings)) ?? storeHome(surroundings), real);
}
