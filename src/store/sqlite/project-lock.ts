import { SavepointError } from '../../model/errors.ts';
import { type LockQueue, PROJECT_LOCK } from '../lock-queue.ts';
import type { LockOptions, ProjectLock } from '../store.ts';
import { Connection } from './connection.ts';
import { makeEmptyFile } from './durable-files.ts';
import { joinQueue, partFromQueue } from './shared-queue.ts';
import { whenFree } from './when-free.ts';

/**
 * The project lock: an exclusive transaction on a database of its own. The kernel holds it for the
 * process and lets go when the process dies, however it dies.
 */
export class LockFile {
  readonly #file: string | null;
  readonly #directory: string;
  readonly #queue: LockQueue;
  readonly #closing = new AbortController();
  #connection: Connection | null = null;
  #release: (() => void) | null = null;

  /** Without a file, only those of this process are kept apart. */
  constructor(file: string | null, realDirectory: string) {
    this.#file = file;
    this.#directory = realDirectory;
    this.#queue = joinQueue(realDirectory);
  }

  async acquire({ timeoutMs, signal }: LockOptions): Promise<ProjectLock> {
    const since = performance.now();
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

  /** Releases what is held and turns away those who wait. */
  close(): void {
    this.#closing.abort(new SavepointError('store-closed', 'the store was closed'));
    this.#release?.();
    this.#connection?.close();
    this.#connection = null;
    partFromQueue(this.#directory);
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
