import { realpathSync } from 'node:fs';
import { closedError } from '../lock-queue.ts';
import type {
  BlobStore,
  DocumentStore,
  GitStore,
  LockOptions,
  Maintenance,
  ProjectIdentity,
  ProjectLock,
  Store,
  StoreState,
  Tasks,
  TimelineStore,
} from '../store.ts';
import { Arrivals } from './arrivals.ts';
import { readBlob } from './blobs.ts';
import { type Connection, storeFailure } from './connection.ts';
import { DocumentWriter, documentStore } from './documents.ts';
import { GitObjects } from './git-objects.ts';
import { type Layout, layoutOf, type Opened, type Run } from './layout.ts';
import { databaseFile, LockFile, requireSameFile } from './lock.ts';
import { readState, writeProject } from './meta.ts';
import { openDatabase } from './open-database.ts';
import { Packs } from './packs/packs.ts';
import { timelineStore } from './timeline.ts';

const DEFAULT_LARGE_BLOB_BYTES = 256 * 1024;

export interface SqliteStoreOptions {
  /** The store's own folder, outside of the worktree. Made private to the user. */
  readonly directory: string;
  /** False: throws `store-missing` instead of making a store. */
  readonly create?: boolean;
  /** Milliseconds, for the budget of `compact`. */
  readonly now?: () => number;
  /** Blobs with more bytes than this do not lie in the database; 256 KiB when left out. */
  readonly largeBlobBytes?: number;
}

/** Opens the store in a folder on this machine. Throws `store-corrupt` and `store-too-new`. */
export async function sqliteStore(options: SqliteStoreOptions): Promise<Store> {
  try {
    const layout = layoutOf(options.directory);
    // Looked at before, so that a file which is replaced meanwhile counts as another one.
    const found = databaseFile(layout.database);
    const connection = openDatabase(layout, options.create ?? true);
    const opened: Opened = {
      ...openedWith(connection, layout),
      largeBlobBytes: options.largeBlobBytes ?? DEFAULT_LARGE_BLOB_BYTES,
      now: options.now ?? Date.now,
    };
    const lock = new LockFile(layout.lock, realpathSync(layout.directory));
    return new SqliteStore(opened, lock, found ?? databaseFile(layout.database));
  } catch (error) {
    throw storeFailure(error);
  }
}

/** The parts of a store around its connection. What a check or a repair stores goes into the database. */
export function openedWith(connection: Connection, layout: Layout): Opened {
  return {
    connection,
    layout,
    arrivals: new Arrivals(layout.arrivals),
    packs: new Packs(layout),
    gitObjects: new GitObjects(layout.git),
    largeBlobBytes: Number.POSITIVE_INFINITY,
    now: Date.now,
  };
}

export class SqliteStore implements Store {
  readonly timeline: TimelineStore;
  readonly blobs: BlobStore;
  readonly documents: DocumentStore;
  readonly git: GitStore | null;
  readonly worktrees: null = null;
  readonly #opened: Opened;
  readonly #lock: LockFile;
  readonly #file: string | null;
  readonly #writer: DocumentWriter;
  readonly #closing = new AbortController();
  #closed = false;

  constructor(opened: Opened, lock: LockFile, file: string | null) {
    this.#opened = opened;
    this.#lock = lock;
    this.#file = file;
    this.#writer = new DocumentWriter(opened, file, this.#closing.signal);
    const run: Run = (work) => this.#do(work);
    this.timeline = timelineStore(run);
    this.blobs = {
      read: (id) => run((store) => readBlob(store, id)),
      putMany: (groups) => run(({ packs }) => packs.put(groups)),
    };
    this.documents = documentStore(run, this.#writer);
    this.git = opened.inMemory
      ? null
      : {
          folder: opened.layout.git,
          read: (key) => run(({ gitObjects }) => gitObjects.read(key)),
        };
  }

  state(): Promise<StoreState> {
    return this.#do(({ connection }) => readState(connection));
  }

  setProject(identity: ProjectIdentity): Promise<void> {
    return this.#do(({ connection }) => writeProject(connection, identity));
  }

  lock(options: LockOptions): Promise<ProjectLock> {
    return this.#do(async ({ layout }) => {
      const lock = await this.#lock.acquire(options);
      try {
        requireSameFile(layout.database, this.#file);
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
    return this.#do((opened) => TASKS[task](opened, ...input));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#closing.abort(closedError());
    this.#lock.close();
    this.#writer.close();
    if (!this.#opened.inMemory) this.#opened.connection.close();
  }

  async #do<Result>(work: (opened: Opened) => Result | Promise<Result>): Promise<Result> {
    this.#requireOpen();
    try {
      return await work(this.#opened);
    } catch (error) {
      // Work that went on for several turns of the event loop can find the store closed under it.
      this.#requireOpen();
      throw storeFailure(error);
    }
  }

  #requireOpen(): void {
    if (this.#closed) throw closedError();
  }
}

// Kept, because a process that lives long verifies again and again, and even `import()` of a loaded module takes time.
let verifier: typeof import('./verify.ts') | null = null;

/** Few processes do any of these, and commands are waited for: each is loaded when it is done. */
const TASKS: Tasks<Opened> = {
  prune: async (opened, floor) => (await import('./prune.ts')).prune(opened, floor),
  prunable: async (opened, floor) => (await import('./prune.ts')).prunable(opened, floor),
  verify: async (opened, paths, checkpoint) => {
    verifier ??= await import('./verify.ts');
    verifier.verify(opened, paths, checkpoint);
  },
  purge: async (opened, paths) => (await import('./purge.ts')).purge(opened, paths),
  scrub: async (opened) => (await import('./purge.ts')).scrub(opened),
  compact: async (opened, budgetMs) => (await import('./compaction.ts')).compact(opened, budgetMs),
  stats: async (opened) => (await import('./stats.ts')).readStats(opened),
  diskBytes: async (opened) => (await import('./stats.ts')).diskBytes(opened),
};
