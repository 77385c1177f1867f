import { SavepointError } from '../../model/errors.ts';
import type { DocumentWrite, LockOptions, PutDocumentOptions } from '../store.ts';
import { Connection } from './connection.ts';
import { requireSameFile } from './database-file.ts';
import { putDocument, removeDocument } from './documents.ts';
import { isBusy } from './failures.ts';
import type { Layout } from './layout.ts';
import { whenFree } from './when-free.ts';
import { joinWriters } from './writers-lock.ts';

const LOOK_EVERY_MS = 100;

/**
 * Writes documents without the project lock, which would cost as much as a small document does. A transaction of
 * SQLite keeps writers apart. A repair, which puts another database in the place of this one, is kept out as
 * long as we are open. Nobody can keep people from removing a database: that is looked for now and then, since
 * it takes with it what was written right before, too.
 */
export class DocumentWriter {
  readonly #layout: Layout;
  readonly #file: string | null;
  readonly #closing = new AbortController();
  #membership: Connection | null = null;
  /** One of its own, which never waits by itself: the event loop has to go on. */
  #connection: Connection | null = null;
  #lookedAt = 0;

  constructor(layout: Layout, file: string | null) {
    this.#layout = layout;
    this.#file = file;
  }

  put(write: DocumentWrite, options: PutDocumentOptions): boolean | Promise<boolean> {
    const { onlyNew = false } = options;
    return this.#whenFree((connection) => putDocument(connection, write, onlyNew), options);
  }

  remove(category: string, key: string, options: LockOptions): boolean | Promise<boolean> {
    return this.#whenFree((connection) => removeDocument(connection, category, key), options);
  }

  close(): void {
    this.#closing.abort(new SavepointError('store-closed', 'the store was closed'));
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
      return attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    const closing = this.#closing.signal;
    return whenFree(attempt, {
      deadline: performance.now() + timeoutMs,
      signal: signal ? AbortSignal.any([signal, closing]) : closing,
      tooLate: () => othersWrite(timeoutMs),
    });
  }

  #connected(): Connection {
    this.#membership ??= joinWriters(this.#layout);
    const now = performance.now();
    if (this.#connection === null || now - this.#lookedAt > LOOK_EVERY_MS) {
      // Before it is opened as well: SQLite would make an empty database where there is none.
      requireSameFile(this.#layout.database, this.#file);
      this.#lookedAt = now;
    }
    this.#connection ??= Connection.unwaiting(this.#layout.database);
    return this.#connection;
  }
}

function othersWrite(timeoutMs: number): SavepointError {
  return new SavepointError('store-locked', `others were writing for ${timeoutMs} ms`, {
    hint: 'another process is writing; try again when it has finished',
  });
}
