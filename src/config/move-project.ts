import { join } from 'node:path';
import { exists, move, realPathOrNull, removeTree } from '../fs/entries.ts';
import { namesIn } from '../fs/tree.ts';
import { makePrivateFolder, syncPath } from '../fs/write-file.ts';
import {
  carryDocuments,
  carryStore,
  isSavepointError,
  type OnProgress,
  SavepointError,
  type Store,
  sqliteStore,
  storeDirectory,
} from '../index.ts';
import { type Surroundings, storeHome } from './find-project.ts';
import { PATIENT, SERVER_FILE, serverOptions, serverProject } from './project-store.ts';
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
 */
export async function moveToServer(
  surroundings: Surroundings,
  project: string,
  request: MoveRequest,
): Promise<void> {
  const directory = directoryOf(surroundings, request);
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
    const to = await serverStore(request.database, project, staging);
    await whileLocked(to, request, async () => {
      await carryStore(from, to, request.onProgress);
      move(join(staging, SERVER_FILE), join(directory, SERVER_FILE));
      syncPath(directory);
      setAside(directory, OF_FOLDER);
      // Documents are written without the lock, until their store is gone from its place.
      await carryDocuments(from, to);
    });
    removeTree(staging);
  });
}

/** The way back. The worktree stays on the server until it is removed with `removeSetAside`. */
export async function moveToFolder(
  surroundings: Surroundings,
  request: MoveRequest,
): Promise<void> {
  const directory = directoryOf(surroundings, request);
  const known = serverProject(directory);
  if (known === null) throw alreadyThere(request, 'in a folder');
  const from = await serverStore(request.database, known.project, directory);
  await whileLocked(from, request, async () => {
    // An interrupted move has left it; what counts is on the server.
    setAside(directory, OF_FOLDER);
    const staging = await emptyStaging(directory, request.database);
    const to = await sqliteStore({ directory: staging });
    await whileLocked(to, request, () => carryStore(from, to, request.onProgress));
    for (const name of OF_FOLDER) {
      if (exists(join(staging, name))) move(join(staging, name), join(directory, name));
    }
    syncPath(directory);
    setAside(directory, [SERVER_FILE]);
    removeTree(staging);
    const moved = await sqliteStore({ directory, create: false });
    await carryDocuments(from, moved).finally(() => moved.close());
  });
}

/** Folders with stores that a move has left, oldest first. */
export function setAsideIn(surroundings: Surroundings, root: string): string[] {
  const directory = directoryOf(surroundings, { root });
  const names = exists(directory) ? namesIn(directory) : [];
  return names
    .filter((name) => name.startsWith(ASIDE))
    .sort()
    .map((name) => join(directory, name));
}

/** Removes a store that was set aside: its files, and on a server its timeline. */
export async function removeSetAside(folder: string, database: DatabaseSettings): Promise<void> {
  await removeFromServer(folder, database);
  removeTree(folder);
}

async function removeFromServer(folder: string, database: DatabaseSettings): Promise<void> {
  const known = serverProject(folder);
  if (known === null) return;
  const { removeWorktree } = await import('../store/postgres/index.ts');
  const place = { project: known.project, directory: folder };
  try {
    await removeWorktree({ ...serverOptions(database), ...PATIENT, ...place });
  } catch (error) {
    // It is not on this server, or not any more.
    if (!isSavepointError(error, 'project-mismatch')) throw error;
  }
}

/** What a move that was interrupted has left there goes, on the server as well. */
async function emptyStaging(directory: string, database: DatabaseSettings): Promise<string> {
  const staging = join(directory, STAGING);
  if (exists(staging)) await removeSetAside(staging, database);
  makePrivateFolder(staging);
  return staging;
}

async function serverStore(
  database: DatabaseSettings,
  project: string,
  directory: string,
): Promise<Store> {
  const { postgresStore } = await import('../store/postgres/index.ts');
  return postgresStore({ ...serverOptions(database), ...PATIENT, project, directory });
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

/** Moves what is there of these into a new folder, and the folder stays until somebody removes it. */
function setAside(directory: string, names: readonly string[]): void {
  const there = names.filter((name) => exists(join(directory, name)));
  if (there.length === 0) return;
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  let folder = join(directory, `${ASIDE}${time}`);
  for (let count = 2; exists(folder); count += 1)
    folder = join(directory, `${ASIDE}${time}-${count}`);
  makePrivateFolder(folder);
  for (const name of there) move(join(directory, name), join(folder, name));
  syncPath(folder);
  syncPath(directory);
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
