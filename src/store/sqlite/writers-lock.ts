import { SavepointError } from '../../model/errors.ts';
import { Connection } from './connection.ts';
import { makeEmptyFile } from './durable-files.ts';
import { isBusy } from './failures.ts';
import type { Layout } from './layout.ts';

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

/** Runs `work` while nobody can write, not even without the project lock. */
export function withoutWriters<Result>({ writers }: Layout, work: () => Result): Result {
  makeEmptyFile(writers);
  const connection = Connection.bare(writers);
  try {
    connection.run('BEGIN EXCLUSIVE');
    return work();
  } catch (error) {
    throw isBusy(error) ? othersAreOpen(error) : error;
  } finally {
    connection.close();
  }
}

function othersAreOpen(cause: unknown): SavepointError {
  const message = 'a program that keeps documents in this store is running';
  return new SavepointError('store-locked', message, { hint: 'end it first', cause });
}
