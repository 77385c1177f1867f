import { existsSync, renameSync, rmSync } from 'node:fs';
import { SavepointError } from '../../model/errors.ts';
import { Connection } from './connection.ts';
import { makeDurableDirectory, makeEmptyFile, syncPath } from './durable-files.ts';
import type { Layout } from './layout.ts';
import { APPLICATION_ID, MIGRATIONS, migrate, requireReadable } from './migrations.ts';

// 8 KiB: a commit dirties about a dozen index pages, which larger pages would make dearer, and stores
// a blob of up to 256 KiB, which smaller pages would. Incremental, so that `prune` can shrink the file.
const NEW_DATABASE = `
  PRAGMA page_size = 8192;
  PRAGMA auto_vacuum = INCREMENTAL;
  PRAGMA journal_mode = WAL;
  PRAGMA application_id = ${APPLICATION_ID};
`;

/** Opens the database of a store, and makes it first where there is none and `create` allows it. */
export function openDatabase(layout: Layout, create: boolean): Connection {
  if (!existsSync(layout.database)) {
    if (!create) throw missing(layout);
    createDatabase(layout);
  }
  const connection = new Connection(layout.database);
  try {
    requireReadable(connection, layout.database);
    migrate(connection);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/**
 * Makes the folder and the database. The database appears under its name only when it is whole, so
 * that an empty file there is damage and never a store to be filled anew.
 */
export function createDatabase(layout: Layout, migrations: readonly string[] = MIGRATIONS): void {
  makeDurableDirectory(layout.directory);
  makeDurableDirectory(layout.blobs);
  makeEmptyFile(layout.lock);
  // The project lock, taken here with a plain wait: creators come once, and never hold it already.
  const lock = new Connection(layout.lock);
  try {
    lock.run('BEGIN EXCLUSIVE');
    if (!existsSync(layout.database)) buildDatabase(layout, migrations);
    lock.run('COMMIT');
  } finally {
    lock.close();
  }
}

function buildDatabase(layout: Layout, migrations: readonly string[]): void {
  const fresh = `${layout.database}.new`;
  // A creator that died left these; we hold the lock, so nobody is at them now.
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(fresh + suffix, { force: true });
  makeEmptyFile(fresh);
  const connection = new Connection(fresh);
  try {
    connection.exec(NEW_DATABASE);
    migrate(connection, migrations);
  } finally {
    connection.close();
  }
  renameSync(fresh, layout.database);
  syncPath(layout.directory);
}

function missing(layout: Layout): SavepointError {
  return new SavepointError('store-missing', 'there is no store in this folder yet', {
    path: layout.directory,
  });
}
