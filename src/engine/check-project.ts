import { exists } from '../fs/entries.ts';
import { SavepointError } from '../model/errors.ts';
import { checkStore } from '../store/sqlite/check/check-store.ts';
import type { CheckOptions, StoreCheck } from '../store/sqlite/check/problem.ts';
import { withProjectLock } from '../store/sqlite/lock.ts';
import { repairStore, type StoreRepair } from '../store/sqlite/repair/repair-store.ts';
import { homeOf, openProject, storeDirectory } from './project.ts';
import { DEFAULT_SETTINGS } from './requests.ts';

export interface CheckProjectOptions extends CheckOptions {
  readonly project: string;
  /** Where stores live. */
  readonly home: string;
  readonly refusedProjects?: readonly string[] | undefined;
  readonly lockTimeoutMs?: number | undefined;
}

/** Looks at everything in the store of a project, also where it cannot be opened. Changes nothing. */
export async function checkProject(options: CheckProjectOptions): Promise<StoreCheck> {
  const directory = directoryOf(options);
  const check = await checkStore(directory, options);
  // Another process may have been writing. Real damage is still there when nobody does.
  return check.problems.length === 0
    ? check
    : locked(directory, options, () => checkStore(directory));
}

/** Makes a damaged store usable again, and keeps the old database. End other programs first. */
export async function repairProject(options: CheckProjectOptions): Promise<StoreRepair> {
  const directory = directoryOf(options);
  return locked(directory, options, () => repairStore(directory));
}

function locked<T>(
  directory: string,
  { lockTimeoutMs }: CheckProjectOptions,
  work: () => Promise<T>,
): Promise<T> {
  return withProjectLock(directory, lockTimeoutMs ?? DEFAULT_SETTINGS.lockTimeoutMs, work);
}

function directoryOf({ project, home, refusedProjects }: CheckProjectOptions): string {
  const opened = openProject(project, refusedProjects);
  const directory = storeDirectory(homeOf(opened, home), opened.root);
  if (exists(directory)) return directory;
  throw new SavepointError('store-missing', 'there is no store for this project yet', {
    path: project,
  });
}
