import { isSavepointError, SavepointError } from '../../model/errors.ts';
import { Connection } from './connection.ts';
import { makeEmptyFile } from './durable-files.ts';
import type { Layout } from './layout.ts';
import { whenFree } from './when-free.ts';

// A transaction on a database of its own, as the project lock is: the kernel lets go of it when its process dies.

/** Held until it is closed, by any number at a time. Throws what is busy while a repair is at work. */
export function joinWriters({ writers }: Layout): Connection {
  makeEmptyFile(writers);
  const connection = Connection.bare(writers, 0);
  try {
    connection.run('BEGIN');
    // Only who reads has it.
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
  makeEmptyFile(writers);
  const connection = Connection.bare(writers, 0);
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
