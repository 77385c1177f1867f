import { realpathSync } from 'node:fs';
import { hostname } from 'node:os';
import { makePrivateFolder } from '../../fs/write-file.ts';
import { SavepointError } from '../../model/errors.ts';
import { closedError } from '../lock-queue.ts';
import { storeFailure } from '../sqlite/connection.ts';
import { layoutOf } from '../sqlite/layout.ts';
import { LockFile } from '../sqlite/lock.ts';
import type {
  BlobStore,
  DocumentStore,
  LockOptions,
  Maintenance,
  ProjectIdentity,
  ProjectLock,
  Store,
  StoreState,
  TimelineStore,
  Worktrees,
} from '../store.ts';
import { putPack, readBlob } from './blobs.ts';
import { placeOfServer } from './connect.ts';
import type { Opened, Run } from './database.ts';
import { documentStore } from './documents.ts';
import { serverFailure } from './failure.ts';
import { ServerLock } from './lock.ts';
import { TASKS } from './maintenance.ts';
import { readState, writeProject } from './meta.ts';
import { openProject, type PostgresProjectOptions } from './open-project.ts';
import { timelineStore } from './timeline.ts';
import {
  findWorktree,
  makeWorktree,
  readServerFile,
  type ServerFile,
  worktreesOf,
} from './worktrees.ts';

export interface PostgresStoreOptions extends Omit<PostgresProjectOptions, 'create'> {
  /**
   * A private folder of this machine, outside of the worktree and of no other worktree: `storeDirectory(home, root)`
   * names one. It says which worktree of the project this is, and holds the lock that outlives a broken connection.
   */
  readonly directory: string;
  /** What others see as the name of this machine. That of the host when left out. */
  readonly machine?: string;
  /**
   * False: throws `store-missing` instead of making tables, a project or a worktree. `worktree`: makes a worktree,
   * of a project that is there.
   */
  readonly create?: boolean | 'worktree';
}

/**
 * Opens the store of a worktree of a project on a PostgreSQL server. The first call with a folder makes a worktree.
 * Needs the package `pg`. Throws `store-unreachable`, `store-too-new` where the tables are of another format,
 * `project-mismatch` where the server has another project under this name than the one that the folder belongs to,
 * and `argument-invalid` for options that cannot be meant.
 */
export async function postgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { machine = hostname(), create = true } = options;
  checkMachine(options.directory, machine);
  const { directory, lock } = layoutOf(options.directory);
  const known = onMachine(() => readServerFile(directory));
  const opened = await openProject({ ...options, create: create === true }, known?.project);
  try {
    if (known === null && !create) {
      throw new SavepointError('store-missing', 'this folder has no worktree on the server yet');
    }
    onMachine(() => makePrivateFolder(directory));
    const { file, worktree } =
      known === null
        ? await makeWorktree(opened, { name: options.project, directory, machine })
        : { file: known, worktree: await findWorktree(opened, known) };
    const lockFile = new LockFile(lock, realpathSync(directory));
    const place = { ...opened, worktree };
    const serverLock = new ServerLock(place, placeOfServer(options), lockFile);
    return new PostgresStore(place, serverLock, () => requireSameWorktree(directory, file));
  } catch (error) {
    await opened.database.close();
    throw serverFailure(error);
  }
}

/** Throws `store-closed` where the folder does not stand for this worktree any more: its timeline was moved. */
function requireSameWorktree(directory: string, { worktree }: ServerFile): void {
  if (onMachine(() => readServerFile(directory))?.worktree === worktree) return;
  throw new SavepointError('store-closed', 'the timeline was moved while this store was open', {
    path: directory,
    hint: 'nothing was recorded; open it again',
  });
}

/** Failures of this machine's folder are not those of the server. */
function onMachine<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw storeFailure(error);
  }
}

function checkMachine(directory: string, machine: string): void {
  if (directory === '' || directory.includes('\0')) {
    throw new SavepointError('argument-invalid', 'directory must name a folder');
  }
  if (machine === '' || machine.includes('\0') || !machine.isWellFormed()) {
    throw new SavepointError('argument-invalid', 'the name of a machine is a text without NUL');
  }
}

class PostgresStore implements Store {
  readonly timeline: TimelineStore;
  readonly blobs: BlobStore;
  readonly documents: DocumentStore;
  // Objects of git would stay on one machine, and others could not read what they stand for.
  readonly git: null = null;
  readonly worktrees: Worktrees;
  readonly #opened: Opened;
  readonly #lock: ServerLock;
  readonly #requireInPlace: () => void;
  #closed = false;
  #known: { readonly fence: number; readonly state: StoreState } | null = null;
  /** Counts what may have changed the state. */
  #version = 0;

  constructor(opened: Omit<Opened, 'fence'>, lock: ServerLock, requireInPlace: () => void) {
    this.#lock = lock;
    this.#requireInPlace = requireInPlace;
    this.#opened = { ...opened, fence: () => lock.fence };
    const run: Run = (work) => this.#do(work);
    const timeline = timelineStore(run);
    this.timeline = {
      ...timeline,
      commit: (batch) => this.#changing(() => timeline.commit(batch)),
    };
    this.blobs = {
      read: (id) => run(({ database, project }) => readBlob(database, project, id)),
      putMany: (groups) => run((opened) => putPack(opened, groups)),
    };
    this.documents = documentStore(run);
    this.worktrees = worktreesOf(run);
  }

  /** Whoever holds the project lock asks for it several times, and nobody else changes it meanwhile. */
  state(): Promise<StoreState> {
    return this.#do(async ({ database, worktree, fence }) => {
      const held = fence();
      if (held !== null && this.#known?.fence === held) return this.#known.state;
      const version = this.#version;
      const state = await readState({ session: database, worktree });
      if (held !== null && version === this.#version) this.#known = { fence: held, state };
      return state;
    });
  }

  setProject(identity: ProjectIdentity): Promise<void> {
    const write = (): Promise<void> =>
      this.#do(({ database, worktree }) =>
        database.transaction((session) => writeProject({ session, worktree }, identity)),
      );
    return this.#changing(write);
  }

  lock(options: LockOptions): Promise<ProjectLock> {
    return this.#do(async () => {
      const lock = await this.#lock.acquire(options);
      try {
        // A move holds the lock, so it is over, or has not begun.
        this.#requireInPlace();
        return lock;
      } catch (error) {
        lock.release();
        throw error;
      }
    });
  }

  maintain<Task extends keyof Maintenance>(
    task: Task,
    ...input: Parameters<Maintenance[Task]>
  ): Promise<ReturnType<Maintenance[Task]>> {
    return this.#changing(() => this.#do((opened) => TASKS[task](opened, ...input)));
  }

  async #changing<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } finally {
      this.#version += 1;
      this.#known = null;
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#lock.close();
    await this.#opened.database.close();
  }

  async #do<Result>(work: (opened: Opened) => Promise<Result>): Promise<Result> {
    this.#requireOpen();
    try {
      return await work(this.#opened);
    } catch (error) {
      // Work that went on for several turns of the event loop can find the store closed under it.
      this.#requireOpen();
      throw serverFailure(error);
    }
  }

  #requireOpen(): void {
    if (this.#closed) throw closedError();
  }
}
