import { realpathSync, statSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { monotonicMs } from '../../model/clock.ts';
import { isSavepointError, SavepointError } from '../../model/errors.ts';
import { abortError, closedError, LockQueue, lockedError, PROJECT_LOCK } from '../lock-queue.ts';
import type { LockOptions, ProjectLock } from '../store.ts';
import { Connection, isBusy } from './connection.ts';
import { type Layout, layoutOf, makeEmptyFile } from './layout.ts';

/**
 * The project lock: an exclusive transaction on a database of its own. The kernel holds it for the
 * process and lets go when the process dies, however it dies.
 */
export class LockFile {
  readonly #file: string | null;
  readonly #queue: LockQueue;
  readonly #closing = new AbortController();
  #connection: Connection | null = null;
  #release: (() => void) | null = null;

  /** Without a file, only the stores of this process are kept apart. */
  constructor(file: string | null, realDirectory: string) {
    this.#file = file;
    this.#queue = queueOf(realDirectory);
  }

  async acquire({ timeoutMs, signal }: LockOptions): Promise<ProjectLock> {
    const since = monotonicMs();
    const either = signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal;
    await this.#queue.enter({ timeoutMs, signal: either });
    try {
      const waiting = { wanted: PROJECT_LOCK, timeoutMs, since, signal: either };
      await whenFree(() => this.#takeFromKernel(), waiting);
    } catch (error) {
      this.#queue.leave();
      throw error;
    }
    return this.#hold();
  }

  /** Releases the lock if it is held here. Everybody who waits for it here gets `store-closed`. */
  close(): void {
    this.#closing.abort(closedError());
    this.#release?.();
    this.#connection?.close();
    this.#connection = null;
  }

  #takeFromKernel(): void {
    if (this.#file === null) return;
    this.#connection ??= connect(this.#file);
    this.#connection.run('BEGIN EXCLUSIVE');
  }

  #hold(): ProjectLock {
    const release = (): void => {
      if (this.#release !== release) return;
      this.#release = null;
      this.#connection?.run('COMMIT');
      this.#queue.leave();
    };
    this.#release = release;
    return { release };
  }
}

function connect(file: string): Connection {
  makeEmptyFile(file);
  return Connection.bare(file, 0);
}

// They stay: a process opens the stores of few projects, and a queue is small.
const queues = new Map<string, LockQueue>();

/** The queue of all stores of this process that are opened on the same real folder. */
function queueOf(realDirectory: string): LockQueue {
  const queue = queues.get(realDirectory) ?? new LockQueue(PROJECT_LOCK);
  queues.set(realDirectory, queue);
  return queue;
}

/** Runs `work` under the project lock of a store without opening the store, which may be damaged. */
export async function withProjectLock<Result>(
  directory: string,
  timeoutMs: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const layout = layoutOf(directory);
  const file = new LockFile(layout.lock, realpathSync(layout.directory));
  try {
    const lock = await file.acquire({ timeoutMs });
    try {
      return await work();
    } finally {
      lock.release();
    }
  } finally {
    file.close();
  }
}

const FIRST_DELAY_MS = 1;
const LAST_DELAY_MS = 25;

interface Waiting {
  /** The name of the lock in errors. */
  readonly wanted: string;
  readonly timeoutMs: number;
  /** When the waiting began, as `monotonicMs` says; now when left out. */
  readonly since?: number;
  readonly signal?: AbortSignal | undefined;
  /** The longest pause between two attempts. */
  readonly pauseMs?: number;
}

/**
 * Repeats `attempt` while another process is in the way: while it throws SQLite's busy error, or a `store-locked`
 * of its own that says more. SQLite could wait by itself, but that would stop the event loop.
 */
export async function whenFree<Result>(
  attempt: () => Result,
  { wanted, timeoutMs, since = monotonicMs(), signal, pauseMs = LAST_DELAY_MS }: Waiting,
): Promise<Result> {
  for (let delay = FIRST_DELAY_MS; ; delay = Math.min(delay * 2, pauseMs)) {
    if (signal?.aborted) throw abortError(wanted, signal);
    let obstacle: unknown;
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
      obstacle = error;
    }
    const left = since + timeoutMs - monotonicMs();
    if (left <= 0) throw isSavepointError(obstacle) ? obstacle : lockedError(wanted, timeoutMs);
    await setTimeout(Math.min(left, delay * (0.5 + Math.random())));
  }
}

/**
 * Takes a lock that any number of writers can hold at the same time, until its connection is closed. As with
 * the project lock, the kernel lets go of it when the process dies. Throws SQLite's busy error during a repair.
 */
export function joinWriters({ writers }: Layout): Connection {
  const connection = connect(writers);
  try {
    connection.run('BEGIN');
    // A transaction takes its lock when it reads for the first time.
    connection.get('SELECT count(*) FROM sqlite_schema');
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

const TIMEOUT_MS = 2_000;

/** Runs `work` while nobody can write, not even without the project lock. */
export async function withoutWriters<Result>(
  { writers }: Layout,
  work: () => Promise<Result>,
): Promise<Result> {
  const connection = connect(writers);
  try {
    await takeAlone(connection);
    return await work();
  } finally {
    connection.close();
  }
}

async function takeAlone(connection: Connection): Promise<void> {
  const waiting = { wanted: 'the store', timeoutMs: TIMEOUT_MS };
  try {
    await whenFree(() => connection.run('BEGIN EXCLUSIVE'), waiting);
  } catch (error) {
    if (!isSavepointError(error, 'store-locked')) throw error;
    const message = 'a program that keeps documents in this store is running';
    throw new SavepointError('store-locked', message, { hint: 'end it first', cause: error });
  }
}

/** Identifies the file that has the name of the database; null where there is none. */
export function databaseFile(path: string): string | null {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? null : `${stats.dev}:${stats.ino}`;
}

/**
 * Throws `store-closed` if a repair has put another database in the place of the one that was opened: nobody
 * would ever find what is committed to the old one. The caller holds a lock that keeps repairs away.
 */
export function requireSameFile(path: string, opened: string | null): void {
  if (databaseFile(path) === opened) return;
  throw new SavepointError('store-closed', 'the store was replaced while it was open', {
    path,
    hint: 'nothing was recorded; open it again',
  });
}
