import { join } from 'node:path';
import { exists } from '../fs/entries.ts';
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
  /**
   * Where stores live, outside of every project; one folder below it for each project. Throws `store-on-server` where
   * that of this project is on a server, and no `store` is passed.
   */
  readonly home?: string;
  /**
   * A store of the caller's own, instead of one below `home`, or what opens it. It is closed with the savepoint. With
   * a `home` too, what belongs to this machine is kept in the project's folder there.
   */
  readonly store?: Store | OpenStore;
  /** Folders that may not be projects: pass the user's home directory. */
  readonly refusedProjects?: readonly string[];
  /** Use the store although it was made for another folder. */
  readonly adopt?: boolean;
  /** Make the store if there is none. True by default; false throws `store-missing`. */
  readonly create?: boolean;
}

/** Opens the store whose private folder of this machine is `directory`. `create`: as of `OpenOptions`. */
export type OpenStore = (directory: string, create: boolean) => Promise<Store>;

const OPEN_OPTIONS: Kind<OpenOptions> = object({
  project: TEXT,
  home: optional(TEXT),
  store: optional(unchecked<Store | OpenStore>()),
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
  const store = await openStore(project, home, options);
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

async function openStore(
  project: Project,
  home: string | null,
  { store, create = true, now }: OpenOptions,
): Promise<Store> {
  if (store !== undefined && typeof store !== 'function') return store;
  if (home === null) {
    throw new SavepointError('argument-invalid', 'pass either home or store');
  }
  const directory = storeDirectory(home, project.root);
  if (store === undefined) {
    requireInFolder(directory, project.root);
    return sqliteStore({ directory, create });
  }
  const opened = await store(directory, create);
  // One that has no folder on this machine is elsewhere, and may be out of reach at times.
  return opened.git === null ? withGaps(opened, directory, now) : opened;
}

/** A store in the folder would begin a second timeline, of which nobody else knows. */
function requireInFolder(directory: string, root: string): void {
  if (!exists(join(directory, 'server.json'))) return;
  const message = 'the timeline of this project is on a database server, not in a folder';
  throw new SavepointError('store-on-server', message, {
    path: root,
    hint: 'pass the store: postgresStore of savepoint/postgres opens it, with this folder as its directory',
    details: { directory },
  });
}

async function withGaps(store: Store, directory: string, now = Date.now): Promise<Store> {
  const { GapKeepingStore } = await import('./gaps.ts');
  const kept = new GapKeepingStore(store, directory, now);
  // Where another process is at work, it is the one to record the gap.
  await kept.recordGap(0).catch(() => undefined);
  return kept;
}

/** A store of the caller's own has no folder for a stat index, so the index is kept in memory. */
function placeOf(project: Project, home: string | null): StorePlace {
  if (home === null) return { ownFolders: [], indexFile: null };
  return { ownFolders: [home], indexFile: join(storeDirectory(home, project.root), 'scan.index') };
}
