import { basename, dirname, join } from 'node:path';
import { exists, move } from '../fs/entries.ts';
import { namesIn } from '../fs/tree.ts';
import { syncPath } from '../fs/write-file.ts';
import { AMOUNT, check, type Kind, listOf, object, optional, TEXT } from '../model/check.ts';
import { SavepointError } from '../model/errors.ts';
import { Connection, storeFailure } from '../store/sqlite/connection.ts';
import { layoutOf, makeEmptyFile } from '../store/sqlite/layout.ts';
import { readProject } from '../store/sqlite/meta.ts';
import type { ProjectIdentity } from '../store/store.ts';
import { homeOf, openProject, realLocation, storeDirectory } from './project.ts';

export interface AdoptStoreRequest {
  /** Where the project is now. */
  readonly project: string;
  /** Where it was when its timeline was recorded. */
  readonly from: string;
  readonly home: string;
  readonly refusedProjects?: readonly string[];
  /** How long to wait for another process before `store-locked`. */
  readonly lockTimeoutMs?: number;
}

const ADOPT_STORE_REQUEST: Kind<AdoptStoreRequest> = object({
  project: TEXT,
  from: TEXT,
  home: TEXT,
  refusedProjects: optional(listOf(TEXT)),
  lockTimeoutMs: optional(AMOUNT),
});

/**
 * Gives a project that was moved the store of its old path. Refuses while the old folder is still there,
 * and where the new one has a timeline of its own. The store still names the old folder afterwards: open
 * it with `adopt`. If the process dies in between, only that is left to do.
 */
export async function adoptStore(request: AdoptStoreRequest): Promise<void> {
  check(ADOPT_STORE_REQUEST, 'request', request);
  const project = openProject(request.project, request.refusedProjects);
  const home = homeOf(project, request.home);
  const oldRoot = recordedRoot(request.from);
  const from = storeDirectory(home, oldRoot);
  const to = storeDirectory(home, project.root);
  if (from === to) throw new SavepointError('argument-invalid', 'from must be another folder');
  try {
    requireStore(from, oldRoot);
    underLock(from, request.lockTimeoutMs, () => moveStore(from, to, oldRoot, project.root));
  } catch (error) {
    throw storeFailure(error);
  }
}

/** The path under which a folder was recorded that was moved away since; null if there is none. */
export function movedFrom(project: string, home: string): string | null {
  const { root, identity } = openProject(project);
  for (const directory of storesIn(realLocation(home))) {
    const known = ownerOf(directory);
    if (known === null || known.root === root || !isSameFolder(known, identity)) continue;
    if (!isStillThere(known.root, known)) return known.root;
  }
  return null;
}

/** Stores are named by real paths. The last part was no link then, but may be one now. */
function recordedRoot(path: string): string {
  return join(realLocation(dirname(path)), basename(path));
}

function requireStore(directory: string, root: string): void {
  if (hasTimeline(directory)) return;
  throw new SavepointError('store-missing', `nothing was recorded in ${root}`, { path: root });
}

/** In a folder, or with the file that names a worktree on a server. */
function hasTimeline(directory: string): boolean {
  return exists(layoutOf(directory).database) || exists(join(directory, 'server.json'));
}

/** Takes the project lock as `createDatabase` does, while the database itself is closed. */
function underLock(directory: string, timeoutMs: number | undefined, work: () => void): void {
  const { lock } = layoutOf(directory);
  makeEmptyFile(lock);
  const connection = Connection.bare(lock, timeoutMs);
  try {
    connection.run('BEGIN EXCLUSIVE');
    work();
    connection.run('COMMIT');
  } finally {
    connection.close();
  }
}

function moveStore(from: string, to: string, oldRoot: string, root: string): void {
  // Another process may have moved it while this one waited for the lock.
  requireStore(from, oldRoot);
  if (isStillThere(oldRoot, ownerOf(from))) {
    throw new SavepointError('project-mismatch', `${oldRoot} is still there`, {
      path: oldRoot,
      hint: 'the timeline stays with the folder that it was recorded in',
    });
  }
  if (hasTimeline(to)) {
    throw new SavepointError('project-mismatch', `${root} has a timeline of its own already`, {
      path: root,
      hint: 'see it with: savepoint list',
    });
  }
  // If another process begins a timeline there now, this fails, because a folder with files is not replaced.
  move(from, to);
  syncPath(dirname(to));
}

function isStillThere(root: string, known: ProjectIdentity | null): boolean {
  try {
    const { identity } = openProject(root);
    // A link at the old place leads to another folder.
    return identity.root === root && (known === null || isSameFolder(known, identity));
  } catch {
    return false;
  }
}

/** The path may differ. */
function isSameFolder(a: ProjectIdentity, b: ProjectIdentity): boolean {
  return a.inode === b.inode && a.birthtimeNs === b.birthtimeNs;
}

/** Reads only, also from a store of another format. Null where there is no store to read. */
function ownerOf(directory: string): ProjectIdentity | null {
  const { database } = layoutOf(directory);
  // To open a missing database would create it.
  if (!exists(database)) return null;
  let connection: Connection | null = null;
  try {
    connection = Connection.bare(database);
    return readProject(connection);
  } catch {
    return null;
  } finally {
    connection?.close();
  }
}

function storesIn(home: string): string[] {
  const folder = join(home, 'projects');
  try {
    return namesIn(folder).map((name) => join(folder, name));
  } catch {
    return [];
  }
}
