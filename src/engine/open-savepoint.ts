import { join } from 'node:path';
import {
  AMOUNT,
  BOOLEAN,
  check,
  type Kind,
  listOf,
  nullable,
  object,
  optional,
  TEXT,
  unchecked,
} from '../model/check.ts';
import { SavepointError } from '../model/errors.ts';
import type { OnProgress } from '../model/progress.ts';
import { sqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import { bindProject } from './bind-project.ts';
import { homeOf, openProject, type Project, storeDirectory } from './project.ts';
import type { SavepointSettings } from './requests.ts';
import { Savepoint } from './savepoint.ts';
import { type StorePlace, Workbench } from './workbench.ts';

export interface OpenOptions extends Partial<SavepointSettings> {
  /** The folder whose files are recorded: one worktree. */
  readonly project: string;
  /** Where stores live, outside of every project; one folder below it for each project. */
  readonly home?: string;
  /** A store of the caller's own, instead of one below `home`. It is closed with the savepoint. */
  readonly store?: Store;
  /** Folders that may not be projects: pass the user's home directory. */
  readonly refusedProjects?: readonly string[];
  /** Use the store although it was made for another folder. */
  readonly adopt?: boolean;
  /** Make the store if there is none. True by default; false throws `store-missing`. */
  readonly create?: boolean;
}

const OPEN_OPTIONS: Kind<OpenOptions> = object({
  project: TEXT,
  home: optional(TEXT),
  store: optional(unchecked<Store>()),
  refusedProjects: optional(listOf(TEXT)),
  adopt: optional(BOOLEAN),
  create: optional(BOOLEAN),
  now: optional(unchecked<() => number>()),
  maxFileSize: optional(AMOUNT),
  maxSafetySize: optional(AMOUNT),
  maxEntries: optional(AMOUNT),
  lockTimeoutMs: optional(AMOUNT),
  scan: optional(BOOLEAN),
  maxScanEntries: optional(AMOUNT),
  maxCopyBytes: optional(AMOUNT),
  scanDeadlineMs: optional(nullable(AMOUNT)),
  scanWorkers: optional(AMOUNT),
  environment: optional(unchecked<SavepointSettings['environment']>()),
  onProgress: optional(unchecked<OnProgress | undefined>()),
  keepIgnored: optional(BOOLEAN),
  exclude: optional(listOf(TEXT)),
});

/** Opens the timeline of a project, finishing a restore that was interrupted, if it can be. */
export async function openSavepoint(options: OpenOptions): Promise<Savepoint> {
  check(OPEN_OPTIONS, 'options', options);
  const project = openProject(options.project, options.refusedProjects);
  const home = options.home === undefined ? null : homeOf(project, options.home);
  const store = options.store ?? (await openStore(project, home, options));
  try {
    const bench = new Workbench(project.root, store, placeOf(project, home), options);
    await bindProject(bench.site, project, options.adopt ?? false);
    // Only writers must finish an interrupted restore; reading is possible without.
    await bench.recoverOrTell();
    return new Savepoint(bench);
  } catch (error) {
    await store.close();
    throw error;
  }
}

function openStore(project: Project, home: string | null, options: OpenOptions): Promise<Store> {
  if (home === null) {
    throw new SavepointError('argument-invalid', 'pass either home or store');
  }
  const directory = storeDirectory(home, project.root);
  return sqliteStore({ directory, create: options.create ?? true });
}

/** A store of the caller's own has no folder for a stat index, so the index is kept in memory. */
function placeOf(project: Project, home: string | null): StorePlace {
  if (home === null) return { ownFolders: [], indexFile: null };
  return { ownFolders: [home], indexFile: join(storeDirectory(home, project.root), 'scan.index') };
}
