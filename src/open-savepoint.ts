import { createHash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { checkIdentity, openProject, type Project } from './capture/project.ts';
import { SavepointError } from './model/errors.ts';
import type { SavepointSettings } from './requests.ts';
import { Savepoint } from './savepoint.ts';
import { sqliteStore } from './store/sqlite/sqlite-store.ts';
import type { Store } from './store/store.ts';
import { Workbench } from './workbench.ts';

export interface OpenOptions extends Partial<SavepointSettings> {
  /** The folder whose files are kept: one worktree. */
  readonly project: string;
  /** Where stores live, outside of every project; one folder below it for each project. */
  readonly home?: string;
  /** A store of the caller's own, instead of one below `home`. It is closed with the savepoint. */
  readonly store?: Store;
  /** Folders that may not be projects: pass the user's home directory. */
  readonly refusedProjects?: readonly string[];
  /** Take the store over although the folder is another one than it was made for. */
  readonly adopt?: boolean;
  /** Make the store if there is none. True by default; false throws `store-missing`. */
  readonly create?: boolean;
}

/** Opens the timeline of a project, finishing a restore that was interrupted. */
export async function openSavepoint(options: OpenOptions): Promise<Savepoint> {
  const project = openProject(options.project, options.refusedProjects);
  const store = options.store ?? (await openStore(project, options));
  try {
    await bind(store, project, options.adopt ?? false);
    const own =
      options.home === undefined || !existsSync(options.home) ? [] : [realpathSync(options.home)];
    const savepoint = new Savepoint(new Workbench(project.root, store, own, options));
    await savepoint.recover();
    return savepoint;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The folder of a project's store below `home`. */
export function storeDirectory(home: string, projectRoot: string): string {
  return join(
    home,
    'projects',
    createHash('sha256').update(projectRoot).digest('hex').slice(0, 24),
  );
}

function openStore(project: Project, options: OpenOptions): Promise<Store> {
  const { home } = options;
  if (home === undefined) {
    throw new SavepointError('argument-invalid', 'pass either home or store');
  }
  if (`${home}/`.startsWith(`${project.root}/`)) {
    throw new SavepointError('argument-invalid', 'the store must not be inside the project', {
      path: home,
      hint: 'set SAVEPOINT_HOME to a folder outside of it',
    });
  }
  const directory = storeDirectory(home, project.root);
  return sqliteStore({ directory, create: options.create ?? true });
}

async function bind(store: Store, project: Project, adopt: boolean): Promise<void> {
  const known = await store.project();
  if (known !== null && !adopt) return checkIdentity(known, project.identity);
  await store.setProject(project.identity);
}
