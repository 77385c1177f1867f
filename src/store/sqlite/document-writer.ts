import type { DocumentWrite, LockOptions, PutDocumentOptions } from '../store.ts';
import { Connection } from './connection.ts';
import { requireSameFile } from './database-file.ts';
import { putDocument, removeDocument } from './documents.ts';
import { isBusy } from './failures.ts';
import type { Layout } from './layout.ts';
import type { Opened } from './opened.ts';
import { whenFree } from './when-free.ts';
import { joinWriters } from './writers-lock.ts';

const LOOK_EVERY_MS = 100;

/**
 * Writes documents without the project lock, which would be a sixth of what a small one costs. A transaction of
 * SQLite keeps writers apart. A repair, which puts another database in the place of this one, is kept out as
 * long as we are open. Nobody can keep people from removing a database: that is looked for now and then, since
 * it takes with it what was written right before, too.
 */
export class DocumentWriter {
  readonly #layout: Layout;
  readonly #file: string | null;
  readonly #closing: AbortSignal;
  #membership: Connection | null = null;
  /** One of its own, which never waits by itself: the event loop has to go on. */
  #connection: Connection | null = null;
  /** That of a store in memory, which nobody else can reach. */
  readonly #shared: Connection | null;
  #lookedAt = 0;

  constructor({ layout, connection, inMemory }: Opened, file: string | null, closing: AbortSignal) {
    this.#layout = layout;
    this.#file = file;
    this.#closing = closing;
    this.#shared = inMemory ? connection : null;
  }

  put(write: DocumentWrite, options: PutDocumentOptions): boolean | Promise<boolean> {
    const { onlyNew = false } = options;
    return this.#whenFree((connection) => putDocument(connection, write, onlyNew), options);
  }

  remove(category: string, key: string, options: LockOptions): boolean | Promise<boolean> {
    return this.#whenFree((connection) => removeDocument(connection, category, key), options);
  }

  close(): void {
    this.#connection?.close();
    this.#membership?.close();
    this.#connection = null;
    this.#membership = null;
  }

  #whenFree<Result>(
    work: (connection: Connection) => Result,
    { timeoutMs, signal }: LockOptions,
  ): Result | Promise<Result> {
    const attempt = (): Result => work(this.#connected());
    try {
      // Mostly nobody else writes, and then there is nothing to wait for.
      if (signal?.aborted !== true) return attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    const either = signal ? AbortSignal.any([signal, this.#closing]) : this.#closing;
    return whenFree(attempt, { wanted: 'the database', timeoutMs, signal: either });
  }

  #connected(): Connection {
    if (this.#shared !== null) return this.#shared;
    const now = performance.now();
    if (this.#connection === null || now - this.#lookedAt > LOOK_EVERY_MS) {
      requireSameFile(this.#layout.database, this.#file);
      this.#lookedAt = now;
    }
    this.#connection ??= this.#connect();
    return this.#connection;
  }

  #connect(): Connection {
    this.#membership ??= joinWriters(this.#layout);
    // A repair may have ended right before; and SQLite would make an empty database where there is none.
    requireSameFile(this.#layout.database, this.#file);
    return Connection.unwaiting(this.#layout.database);
  }
}
