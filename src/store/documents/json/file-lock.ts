import { lstatSync } from 'node:fs';
import { LockQueue } from '../../lock-queue.ts';
import { Connection, storeFailure } from '../../sqlite/connection.ts';
import { makeEmptyFile } from '../../sqlite/layout.ts';
import { whenFree } from '../../sqlite/lock.ts';
import { refuseLink } from '../project-folder.ts';

/** The callers of this process that want one lock, in their order. */
interface Turns {
  readonly queue: LockQueue;
  users: number;
}

const turns = new Map<string, Turns>();

/**
 * Runs `work` while nobody else holds the lock file: an exclusive transaction on it, which the kernel ends
 * with the process, however the process dies. `work` may remove the file. Throws `store-locked`.
 */
export async function withFileLock<Result>(
  file: string,
  timeoutMs: number,
  work: () => Result,
): Promise<Result> {
  const since = performance.now();
  const wanted = `the lock ${file}`;
  const turn = turns.get(file) ?? { queue: new LockQueue(wanted), users: 0 };
  turns.set(file, turn);
  turn.users += 1;
  try {
    await turn.queue.enter({ timeoutMs });
    try {
      return await inKernel(file, { wanted, timeoutMs, since }, work);
    } finally {
      turn.queue.leave();
    }
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
  for (;;) {
    const held = await whenFree(() => take(file), waiting).catch((error: unknown) => {
      throw storeFailure(error);
    });
    // Whoever held it before may have removed the file: this would be the lock of nobody.
    if (held === null) continue;
    try {
      return work();
    } finally {
      held.close();
    }
  }
}

/** Null where the file is no longer the one that was locked. Throws SQLite's busy error. */
function take(file: string): Connection | null {
  refuseLink(file);
  makeEmptyFile(file);
  const before = identityOf(file);
  const connection = Connection.bare(file, 0);
  try {
    connection.run('BEGIN EXCLUSIVE');
  } catch (error) {
    connection.close();
    throw error;
  }
  if (before !== null && identityOf(file) === before) return connection;
  connection.close();
  return null;
}

function identityOf(file: string): string | null {
  const stats = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? null : `${stats.dev}:${stats.ino}:${stats.birthtimeNs}`;
}
