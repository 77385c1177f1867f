import { lstatSync } from 'node:fs';
import { removeIfThere } from '../../../fs/entries.ts';
import { monotonicMs } from '../../../model/clock.ts';
import { SavepointError } from '../../../model/errors.ts';
import { LockQueue } from '../../lock-queue.ts';
import { Connection, storeFailure } from '../../sqlite/connection.ts';
import { makeEmptyFile } from '../../sqlite/layout.ts';
import { whenFree } from '../../sqlite/lock.ts';

/** The callers of this process that want one lock, in their order. */
interface Turns {
  readonly queue: LockQueue;
  users: number;
}

const turns = new Map<string, Turns>();

/**
 * Runs `work` while nobody else holds the lock file: an exclusive transaction on it, which the kernel ends
 * with the process, however the process dies. The file goes when the work is done; `work` may remove it too.
 * Throws `store-locked`, also where another program's lock has the name.
 */
export async function withFileLock<Result>(
  file: string,
  timeoutMs: number,
  work: () => Result,
): Promise<Result> {
  const since = monotonicMs();
  const wanted = `the lock ${file}`;
  const turn = turns.get(file) ?? { queue: new LockQueue(wanted), users: 0 };
  turns.set(file, turn);
  turn.users += 1;
  try {
    const waiting = { wanted, timeoutMs, since };
    return await turn.queue.inTurn(timeoutMs, () => inKernel(file, waiting, work));
  } finally {
    turn.users -= 1;
    if (turn.users === 0) turns.delete(file);
  }
}

async function inKernel<Result>(
  file: string,
  waiting: { readonly wanted: string; readonly timeoutMs: number; readonly since: number },
  work: () => Result,
): Promise<Result> {
  const lock = new LockOnFile(file);
  for (;;) {
    const isHeld = await whenFree(() => lock.take(), waiting).catch((error: unknown) => {
      throw storeFailure(error);
    });
    // Whoever held it before may have removed the file: this would be the lock of nobody.
    if (!isHeld) continue;
    try {
      return work();
    } finally {
      lock.release();
    }
  }
}

class LockOnFile {
  readonly #file: string;
  #connection: Connection | null = null;
  /** Which file it holds, and which one it has made. */
  #held: string | null = null;
  #made: string | null = null;

  constructor(file: string) {
    this.#file = file;
  }

  /** False where the file is no longer the one that was to be locked. Throws where somebody else holds it. */
  take(): boolean {
    const isNew = makeEmptyFile(this.#file);
    refuseForeign(this.#file);
    this.#held = identityOf(this.#file);
    if (isNew) this.#made = this.#held;
    try {
      this.#connection = Connection.ofFile(this.#file);
      this.#connection.run('BEGIN EXCLUSIVE');
      if (this.#hasName()) return true;
      this.#close();
      return false;
    } catch (error) {
      this.#close();
      // Without its file SQLite fails in many ways.
      if (!this.#hasName()) return false;
      // Another program may have written its own lock into the file just now.
      refuseForeign(this.#file);
      throw error;
    }
  }

  /**
   * Removes the file, while it is locked, if it was made here. One that was there before stays: another
   * program may hold it in its own way, and would hold a file without a name.
   */
  release(): void {
    try {
      if (this.#made === this.#held && this.#hasName()) removeIfThere(this.#file);
    } finally {
      this.#close();
    }
  }

  #close(): void {
    this.#connection?.close();
    this.#connection = null;
  }

  #hasName(): boolean {
    return this.#held !== null && identityOf(this.#file) === this.#held;
  }
}

/**
 * Throws `store-locked` for a lock that is not ours: ours are empty files. SQLite would take it for a damaged
 * database, or follow it where it is a link.
 */
function refuseForeign(file: string): void {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined || (stats.isFile() && stats.size === 0)) return;
  throw new SavepointError('store-locked', `another program has the lock ${file}`, {
    path: file,
    hint: 'end the program that holds it; if there is none, remove the lock: Savepoint did not make it',
  });
}

function identityOf(file: string): string | null {
  const stats = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? null : `${stats.dev}:${stats.ino}:${stats.birthtimeNs}`;
}
