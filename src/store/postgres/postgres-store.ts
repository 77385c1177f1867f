import { SavepointError } from '../../model/errors.ts';
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
} from '../store.ts';
import { putPack, readBlob } from './blobs.ts';
import { placeOfServer, schemaOf } from './connect.ts';
import { Database } from './database.ts';
import { documentStore } from './documents.ts';
import { serverFailure } from './failure.ts';
import { AdvisoryLock } from './lock.ts';
import { TASKS } from './maintenance.ts';
import { readState, writeProject } from './meta.ts';
import type { Opened, Run } from './opened.ts';
import type { PostgresOptions } from './options.ts';
import { findProject } from './schema.ts';
import { timelineStore } from './timeline.ts';

export interface PostgresStoreOptions extends PostgresOptions {
  /** The project's name on the server: any text without NUL. Stores with the same name share one timeline. */
  readonly project: string;
  /** False: throws `store-missing` instead of making tables or a project. */
  readonly create?: boolean;
}

/**
 * Opens the store of a project on a PostgreSQL server. Needs the package `pg`. Throws `store-unreachable`,
 * `store-too-new` where the tables are of another format, and `argument-invalid` for options that cannot be meant.
 */
export async function postgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { project: name, create = true } = options;
  if (name === '' || name.includes('\0') || !name.isWellFormed()) {
    throw new SavepointError('argument-invalid', 'the name of a project is a text without NUL');
  }
  const schema = schemaOf(options);
  const server = placeOfServer(options);
  const database = await Database.open(options);
  try {
    const project = await findProject(database, schema, name, create);
    return new PostgresStore(database, schema, project, server);
  } catch (error) {
    await database.close();
    throw serverFailure(error);
  }
}

class PostgresStore implements Store {
  readonly timeline: TimelineStore;
  readonly blobs: BlobStore;
  readonly documents: DocumentStore;
  // Objects of git would stay on one machine, and others could not read what they stand for.
  readonly git: null = null;
  readonly #opened: Opened;
  readonly #lock: AdvisoryLock;
  #closed = false;

  constructor(database: Database, schema: string, project: number, server: string) {
    const lock = new AdvisoryLock(database, schema, project, server);
    this.#lock = lock;
    this.#opened = { database, schema, project, fence: () => lock.fence };
    const run: Run = (work) => this.#do(work);
    this.timeline = timelineStore(run);
    this.blobs = {
      read: (id) => run(({ database, project }) => readBlob(database, project, id)),
      putMany: (groups) => run(({ database, project }) => putPack(database, project, groups)),
    };
    this.documents = documentStore(run);
  }

  state(): Promise<StoreState> {
    return this.#do(({ database, project }) => readState(database, project));
  }

  setProject(identity: ProjectIdentity): Promise<void> {
    return this.#do(({ database, project }) =>
      database.transaction((session) => writeProject(session, project, identity)),
    );
  }

  lock(options: LockOptions): Promise<ProjectLock> {
    return this.#do(() => this.#lock.acquire(options));
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
    if (this.#closed) throw new SavepointError('store-closed', 'the store was closed');
  }
}
