import { join } from 'node:path';
import { exists, realPathOrNull } from '../fs/entries.ts';
import { readFile } from '../fs/read-file.ts';
import {
  isSavepointError,
  noteGapAfter,
  type OpenOptions,
  openSavepoint,
  type Savepoint,
  SavepointError,
  type Store,
  sqliteStore,
  storeDirectory,
  type WorktreeEntry,
} from '../index.ts';
import { accepts, type Kind, object, TEXT } from '../model/check.ts';
import type {
  PostgresOptions,
  PostgresStoreOptions,
  PostgresTls,
} from '../store/postgres/index.ts';
import { type Surroundings, storeHome } from './find-project.ts';
import { type DatabaseSettings, serverName, type Values } from './settings.ts';

/** How long to wait for a database server. */
interface Patience {
  readonly connectTimeoutMs: number;
  /** For one answer. */
  readonly queryTimeoutMs: number;
}

/** A person waits, and may press Ctrl-C. */
export const PATIENT: Patience = { connectTimeoutMs: 10_000, queryTimeoutMs: 120_000 };

interface OpenProjectOptions
  extends Omit<OpenOptions, 'home' | 'store' | 'refusedProjects' | 'environment'> {
  /** What is configured. Other options of the same name count before it. */
  readonly values: DatabaseSettings & Partial<Values>;
  readonly patience?: Patience;
  /** Whether something is lost where the store cannot be opened. As `create` when left out. */
  readonly isRecording?: boolean;
}

/**
 * Opens the timeline of a project, in the store that this machine keeps it in: a folder, or a database server. The one
 * place that knows, for every program that people start.
 */
export async function openProjectTimeline(
  surroundings: Surroundings,
  { values, patience, isRecording, ...options }: OpenProjectOptions,
): Promise<Savepoint> {
  const { env: environment, homeDirectory } = surroundings;
  let directory = null as string | null;
  const store = (place: string, create: boolean): Promise<Store> => {
    directory = place;
    return openStoreIn(place, { surroundings, database: values, patience, create });
  };
  try {
    return await openSavepoint({
      ...values,
      environment,
      refusedProjects: [homeDirectory],
      ...options,
      home: storeHome(surroundings),
      store,
    });
  } catch (error) {
    const isLoss = isRecording ?? options.create ?? true;
    if (isLoss && directory !== null) {
      await noteGapAfter(error, directory, (options.now ?? Date.now)());
    }
    throw error;
  }
}

interface ServerAccess {
  readonly surroundings: Surroundings;
  readonly database: DatabaseSettings;
  /** That of a person when left out. */
  readonly patience?: Patience | undefined;
}

/** The store of the project whose private folder of this machine is `directory`. */
export async function openStoreIn(
  directory: string,
  { create, ...access }: ServerAccess & { readonly create: boolean },
): Promise<Store> {
  const place = placeIn(directory, access.surroundings);
  if (place === null) return sqliteStore({ directory, create });
  const { project, isNew } = place;
  return openOnServer({ project, directory, create: create && isNew }, access);
}

/** The store of a worktree on the server. */
export async function openOnServer(
  place: Pick<PostgresStoreOptions, 'project' | 'directory' | 'create'>,
  { surroundings, database, patience = PATIENT }: ServerAccess,
): Promise<Store> {
  const server = serverOptions(database);
  // The name under which other machines see this one.
  const machine = surroundings.env.SAVEPOINT_MACHINE;
  // A chunk of its own, for projects on a server alone.
  const { postgresStore } = await import('../store/postgres/index.ts');
  return postgresStore({ ...server, ...patience, ...(machine ? { machine } : {}), ...place });
}

interface JoinRequest {
  readonly root: string;
  /** The name of a project that is on the server. */
  readonly project: string;
  readonly database: DatabaseSettings;
}

/** Makes a folder one more worktree of a project on the server. Throws `store-missing` where there is no such project. */
export async function joinServer(
  surroundings: Surroundings,
  { root, project, database }: JoinRequest,
): Promise<void> {
  const directory = directoryOf(surroundings, root);
  if (exists(join(directory, SERVER_FILE)) || exists(join(directory, 'store.db'))) {
    throw new SavepointError('project-mismatch', `${root} has a timeline already`, {
      path: root,
      hint: 'see where it is kept with: savepoint store',
    });
  }
  const place = { project, directory, create: 'worktree' } as const;
  const store = await openOnServer(place, { surroundings, database });
  await store.close();
}

function directoryOf(surroundings: Surroundings, root: string): string {
  return storeDirectory(storeHome(surroundings), realPathOrNull(root) ?? root);
}

/** Where the timeline of a project is kept, for people. */
export interface KeptIn {
  readonly kind: 'folder' | 'server';
  readonly folder: string;
  /** Host and database; null where nothing says where the server is, and for a folder. */
  readonly server: string | null;
  /** The project's name on the server. */
  readonly project: string | null;
}

export function keptIn(
  surroundings: Surroundings,
  root: string,
  { databaseUrl }: DatabaseSettings,
): KeptIn {
  const folder = directoryOf(surroundings, root);
  const place = placeIn(folder, surroundings);
  if (place === null) return { kind: 'folder', folder, server: null, project: null };
  const server = databaseUrl === null ? null : serverName(databaseUrl);
  return { kind: 'server', folder, server, project: place.project };
}

const SOON: Patience = { connectTimeoutMs: 3_000, queryTimeoutMs: 10_000 };

/** The worktrees of the project on the server; null for a folder, and where the server cannot be asked. */
export async function worktreesOf(
  surroundings: Surroundings,
  root: string,
  database: DatabaseSettings,
): Promise<readonly WorktreeEntry[] | null> {
  const { kind, folder } = keptIn(surroundings, root, database);
  if (kind === 'folder') return null;
  try {
    const options = { surroundings, database, patience: SOON, create: false };
    const store = await openStoreIn(folder, options);
    return (await store.worktrees?.list().finally(() => store.close())) ?? null;
  } catch (error) {
    if (isSavepointError(error)) return null;
    throw error;
  }
}

/** Throws `store-on-server` where the timeline of a project is not in a folder. */
export function requireFolder(surroundings: Surroundings, root: string, instead: string): void {
  if (placeIn(directoryOf(surroundings, root), surroundings) === null) return;
  const message = 'the timeline of this project is on a database server, not in a folder';
  throw new SavepointError('store-on-server', message, { path: root, hint: instead });
}

/** A project of a server. */
interface ServerPlace {
  readonly project: string;
  /** Whether this worktree was never there. */
  readonly isNew: boolean;
}

/** Null for a project that is kept in the folder. */
export function placeIn(directory: string, { env }: Surroundings): ServerPlace | null {
  const known = serverProject(directory);
  if (known !== null) return { ...known, isNew: false };
  const project = env.SAVEPOINT_DATABASE_PROJECT;
  return !project || exists(join(directory, 'store.db')) ? null : { project, isNew: true };
}

// The store on the server keeps it: which worktree of which project the folder stands for.
export const SERVER_FILE = 'server.json';
const MAX_BYTES = 64 * 1024;
const SERVER_PROJECT: Kind<{ readonly name: string }> = object({ name: TEXT });

/** Null where the folder stands for no worktree on a server. */
export function serverProject(directory: string): { readonly project: string } | null {
  const file = join(directory, SERVER_FILE);
  if (!exists(file)) return null;
  try {
    const { bytes } = readFile(file, { maxBytes: MAX_BYTES });
    const value: unknown = JSON.parse(String(bytes));
    if (accepts(SERVER_PROJECT, value)) return { project: value.name };
  } catch {
    // As a file with something else in it.
  }
  throw new SavepointError('store-corrupt', `${file} does not name a project of a server`, {
    path: file,
    hint: 'bring it back from a backup, or join the project again: savepoint store join PROJECT',
  });
}

/** Where the server is. Throws `server-unknown` where nothing says so. */
export function serverOptions(settings: DatabaseSettings): PostgresOptions {
  const { databaseUrl: url } = settings;
  if (url !== null) return { url, tls: tlsOf(url, settings) };
  const message = 'the timeline of this project is on a database server, and nothing says where';
  const hint =
    'set SAVEPOINT_DATABASE_URL, or databaseUrl in ~/.config/savepoint/config.json, to postgres://USER:PASSWORD@HOST:PORT/DATABASE';
  throw new SavepointError('server-unknown', message, { hint });
}

function tlsOf(url: string, settings: DatabaseSettings): boolean | PostgresTls {
  const { databaseTls, databaseCa: ca, databaseCert: cert, databaseKey: key } = settings;
  if (!(databaseTls ?? !isOnThisMachine(url))) return false;
  return {
    ...(ca === null ? {} : { ca: textOf(ca) }),
    ...(cert === null ? {} : { cert: textOf(cert) }),
    ...(key === null ? {} : { key: textOf(key) }),
  };
}

function isOnThisMachine(url: string): boolean {
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function textOf(file: string): string {
  const { bytes } = readFile(file, { followLink: true, maxBytes: MAX_BYTES });
  if (bytes !== null) return bytes.toString('utf8');
  throw new SavepointError('config-invalid', `${file} cannot be read`, { path: file });
}
