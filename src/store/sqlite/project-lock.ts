import { setTimeout } from 'node:timers/promises';
import { SavepointError } from '../../model/errors.ts';
import { abortError, type LockQueue, lockedError } from '../lock-queue.ts';
import type { LockOptions, ProjectLock } from '../store.ts';
import { Connection } from './connection.ts';
import { makeEmptyFile } from './durable-files.ts';
import { isBusy } from './failures.ts';
import { joinQueue, partFromQueue } from './shared-queue.ts';

const FIRST_DELAY_MS = 1;
const LAST_DELAY_MS = 25;

/**
 * The project lock: an exclusive transaction on a database of its own. The kernel holds it for the
 * process and lets go when the process dies, however it dies.
 */
export class LockFile {
  readonly #file: string;
  readonly #directory: string;
  readonly #queue: LockQueue;
  readonly #closing = new AbortController();
  #connection: Connection | null = null;
  #release: (() => void) | null = null;

  constructor(file: string, realDirectory: string) {
    this.#file = file;
    this.#directory = realDirectory;
    this.#queue = joinQueue(realDirectory);
  }

  async acquire({ timeoutMs, signal }: LockOptions): Promise<ProjectLock> {
    const deadline = performance.now() + timeoutMs;
    const either = signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal;
    await this.#queue.enter({ timeoutMs, signal: either });
    try {
      await this.#takeFromKernel(deadline, timeoutMs, either);
    } catch (error) {
      this.#queue.leave();
      throw error;
    }
    return this.#hold();
  }

  /** Releases what is held and turns away those who wait. */
  close(): void {
    this.#closing.abort(new SavepointError('store-closed', 'the store was closed'));
    this.#release?.();
    this.#connection?.close();
    this.#connection = null;
    partFromQueue(this.#directory);
  }

  /** Asks again and again instead of letting SQLite sleep, which would stop the event loop. */
  async #takeFromKernel(deadline: number, timeoutMs: number, signal: AbortSignal): Promise<void> {
    for (let delay = FIRST_DELAY_MS; ; delay = Math.min(delay * 2, LAST_DELAY_MS)) {
      if (signal.aborted) throw abortError(signal);
      if (this.#tryKernel()) return;
      const left = deadline - performance.now();
      if (left <= 0) throw lockedError(timeoutMs);
      await setTimeout(Math.min(left, delay * (0.5 + Math.random())));
    }
  }

  #tryKernel(): boolean {
    this.#connection ??= this.#connect();
    try {
      this.#connection.run('BEGIN EXCLUSIVE');
      return true;
    } catch (error) {
      if (isBusy(error)) return false;
      throw error;
    }
  }

  #connect(): Connection {
    makeEmptyFile(this.#file);
    return Connection.bare(this.#file, 0);
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
