import type { QueryConfig } from 'pg';
import { monotonicMs } from '../../model/clock.ts';
import { SavepointError } from '../../model/errors.ts';
import { abortError, closedError, LockQueue, lockedError, PROJECT_LOCK } from '../lock-queue.ts';
import { storeFailure } from '../sqlite/connection.ts';
import type { LockFile } from '../sqlite/lock.ts';
import type { LockOptions, ProjectLock } from '../store.ts';
import { type Database, endClient, type LoneClient, type Opened } from './database.ts';
import { lockLimit } from './documents.ts';
import { isRefused, isUnreachable, serverFailure } from './failure.ts';
import { lockClass } from './schema.ts';

/** What all stores of this process on one place share: their order, and the connection that holds the lock. */
interface Place {
  readonly queue: LockQueue;
  client: Promise<LoneClient> | null;
  stores: number;
}

const places = new Map<string, Place>();

function placeNamed(name: string): Place {
  const place = places.get(name) ?? { queue: new LockQueue(PROJECT_LOCK), client: null, stores: 0 };
  places.set(name, place);
  return place;
}

/**
 * The project lock. It has two parts, taken in this order:
 * - A lock file of this machine. It stays with its process when the connection breaks, so that nobody finishes a
 *   restore beside a process that is still moving files.
 * - An advisory lock of the server, on a connection of its own, which the server lets go of when the connection ends.
 *   Taking it raises the worktree's fence: a holder who has lost it cannot commit once somebody else has taken it.
 */
export class ServerLock {
  readonly #database: Database;
  readonly #file: LockFile;
  readonly #take: string;
  readonly #giveBack: string;
  readonly #place: Place;
  readonly #closing = new AbortController();
  #held: { readonly release: () => void; readonly fence: number } | null = null;

  constructor(
    { database, schema, worktree }: Omit<Opened, 'fence'>,
    server: string,
    file: LockFile,
  ) {
    this.#database = database;
    this.#file = file;
    const numbers = `${lockClass(schema, 'worktree')}, ${worktree}`;
    // One message, in which the lock comes first: the row of the worktree waits for the last holder's commit.
    this.#take = `
      SELECT pg_advisory_lock(${numbers});
      UPDATE worktrees SET fence = fence + 1 WHERE id = ${worktree} RETURNING fence`;
    this.#giveBack = `SELECT pg_advisory_unlock(${numbers})`;
    this.#place = placeNamed(JSON.stringify([server, worktree]));
    this.#place.stores += 1;
  }

  /** The token of the holder, if that is this store. */
  get fence(): number | null {
    return this.#held?.fence ?? null;
  }

  async acquire(options: LockOptions): Promise<ProjectLock> {
    const since = monotonicMs();
    const file = await this.#file.acquire(options).catch((error: unknown) => {
      throw storeFailure(error);
    });
    try {
      const server = await this.#acquireOnServer(options, since);
      return this.#hold(server, file);
    } catch (error) {
      file.release();
      throw error;
    }
  }

  /** In the order of this process: one connection would get the lock any number of times. */
  async #acquireOnServer({ timeoutMs, signal }: LockOptions, since: number): Promise<number> {
    const left = (): number => Math.max(0, since + timeoutMs - monotonicMs());
    const either = signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal;
    await this.#place.queue.enter({ timeoutMs: left(), signal: either });
    try {
      return await this.#takeFromServer(left(), timeoutMs, either);
    } catch (error) {
      this.#place.queue.leave();
      throw error;
    }
  }

  /** Releases the lock if it is held here. Everybody who waits for it here gets `store-closed`. */
  async close(): Promise<void> {
    this.#closing.abort(closedError());
    this.#held?.release();
    this.#file.close();
    this.#place.stores -= 1;
    if (this.#place.stores > 0) return;
    const { client } = this.#place;
    this.#place.client = null;
    await client?.then(endClient).catch(() => {});
  }

  /**
   * A connection that turns out to be dead is replaced once. One on which this failed is ended: the server may have
   * given it the lock before the failure, and an advisory lock outlasts the transaction that took it.
   */
  async #takeFromServer(leftMs: number, timeoutMs: number, signal: AbortSignal): Promise<number> {
    for (let tries = 0; ; tries += 1) {
      const client = await this.#connected();
      try {
        return await this.#takeOn(client, leftMs, signal);
      } catch (error) {
        this.#place.client = null;
        await endClient(client);
        if (signal.aborted) throw abortError(PROJECT_LOCK, signal);
        const failure = serverFailure(error);
        if (failure.code === 'store-locked') throw lockedError(PROJECT_LOCK, timeoutMs);
        if (!isUnreachable(failure) || tries > 0) throw failure;
      }
    }
  }

  async #takeOn(client: LoneClient, leftMs: number, signal: AbortSignal): Promise<number> {
    if (signal.aborted) throw abortError(PROJECT_LOCK, signal);
    // Ends the waiting of the statement, from another connection.
    const cancel = 'SELECT pg_cancel_backend($1)';
    const onAbort = (): void =>
      void this.#database.query(cancel, [client.processID]).catch(() => {});
    signal.addEventListener('abort', onAbort);
    client.ref();
    try {
      const limit = lockLimit(leftMs);
      const results = (await client.query({
        text: `SET lock_timeout = ${limit}; ${this.#take}`,
        query_timeout: this.#database.patience(limit),
      } as QueryConfig)) as unknown as readonly {
        readonly rows: readonly { readonly fence: number }[];
      }[];
      const fence = results.at(-1)?.rows[0]?.fence;
      if (fence === undefined) {
        throw new SavepointError('store-corrupt', 'the worktree is gone from the database');
      }
      if (signal.aborted) throw abortError(PROJECT_LOCK, signal);
      return fence;
    } catch (error) {
      throw isRefused(error, 'cancelled') ? abortError(PROJECT_LOCK, signal) : error;
    } finally {
      client.unref();
      signal.removeEventListener('abort', onAbort);
    }
  }

  #connected(): Promise<LoneClient> {
    const place = this.#place;
    if (place.client !== null) return place.client;
    // The end of a connection can be told when the next one is there already, which then stays.
    const forget = (): void => {
      if (place.client === connecting) place.client = null;
    };
    const connecting = this.#connect(forget);
    place.client = connecting;
    return connecting;
  }

  async #connect(onEnd: () => void): Promise<LoneClient> {
    try {
      const client = await this.#database.connect();
      // A process that has nothing else to do may end. Only waiting for the lock is something to do.
      client.unref();
      client.once('end', onEnd);
      return client;
    } catch (error) {
      onEnd();
      throw serverFailure(error);
    }
  }

  #hold(fence: number, file: ProjectLock): ProjectLock {
    const release = (): void => {
      if (this.#held?.release !== release) return;
      this.#held = null;
      // Whoever comes next in this process asks on the same connection, after this.
      void this.#place.client?.then((client) => client.query(this.#giveBack)).catch(() => {});
      this.#place.queue.leave();
      file.release();
    };
    this.#held = { release, fence };
    return { release };
  }
}
