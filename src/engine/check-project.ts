import { exists } from '../fs/entries.ts';
import { isSavepointError, SavepointError } from '../model/errors.ts';
import { checkStore } from '../store/sqlite/check/check-store.ts';
import type { CheckOptions, StoreCheck } from '../store/sqlite/check/problem.ts';
import { storeFailure } from '../store/sqlite/connection.ts';
import { withProjectLock } from '../store/sqlite/lock.ts';
import { repairStore, type StoreRepair } from '../store/sqlite/repair/repair-store.ts';
import { homeOf, openProject, storeDirectory } from './project.ts';
import { DEFAULT_SETTINGS } from './requests.ts';

export interface CheckStoreOptions extends CheckOptions {
  readonly lockTimeoutMs?: number | undefined;
}

export interface CheckProjectOptions extends CheckStoreOptions {
  readonly project: string;
  /** Where stores live. */
  readonly home: string;
  readonly refusedProjects?: readonly string[] | undefined;
}

/** Looks at everything in the store of a project, also where it cannot be opened. Changes nothing. */
export async function checkProject(options: CheckProjectOptions): Promise<StoreCheck> {
  return checkStoreIn(directoryOf(options), options);
}

/** As `checkProject`, by the folder of the store: only a store that can be opened knows its project. */
export async function checkStoreIn(
  directory: string,
  options: CheckStoreOptions = {},
): Promise<StoreCheck> {
  const check = await checkStore(directory, options);
  if (check.problems.length === 0) return check;
  try {
    // Another process may have been writing. Real damage is still there when nobody does.
    return await locked(directory, options, () => checkStore(directory));
  } catch (error) {
    if (isSavepointError(error, 'store-read-only')) return check;
    throw error;
  }
}

/** Makes a damaged store usable again, and keeps the old database. End other programs first. */
export async function repairProject(options: CheckProjectOptions): Promise<StoreRepair> {
  const directory = directoryOf(options);
  return locked(directory, options, () => repairStore(directory));
}

async function locked<T>(
  directory: string,
  { lockTimeoutMs = DEFAULT_SETTINGS.lockTimeoutMs }: CheckStoreOptions,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await withProjectLock(directory, lockTimeoutMs, work);
  } catch (error) {
    throw storeFailure(error);
  }
}

function directoryOf({ project, home, refusedProjects }: CheckProjectOptions): string {
  const opened = openProject(project, refusedProjects);
  const directory = storeDirectory(homeOf(opened, home), opened.root);
  if (exists(directory)) return directory;
  throw new SavepointError('store-missing', 'there is no store for this project yet', {
    path: project,
  });
}
