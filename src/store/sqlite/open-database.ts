import { existsSync, renameSync, rmSync } from 'node:fs';
import { makePrivateFolder, syncPath } from '../../fs/write-file.ts';
import { SavepointError } from '../../model/errors.ts';
import { Connection } from './connection.ts';
import { makeEmptyFile } from './durable-files.ts';
import type { Layout } from './layout.ts';
import { refuseLostDatabase } from './lost-database.ts';
import { APPLICATION_ID, MIGRATIONS, migrate, requireReadable } from './migrations.ts';

// 4 KiB: a commit touches about a dozen index pages, and they weigh more than one blob's bytes, which
// larger pages would take a little faster. Incremental, so that `prune` can shrink the file.
const NEW_DATABASE = `
  PRAGMA page_size = 4096;
  PRAGMA auto_vacuum = INCREMENTAL;
  PRAGMA application_id = ${APPLICATION_ID};
`;

// Nobody can find it before it is whole, and then it is synced at once.
const UNDER_ITS_FIRST_NAME = `
  PRAGMA synchronous = OFF;
  PRAGMA journal_mode = MEMORY;
`;

/** Opens the database of a store, and makes it first where there is none and `create` allows it. */
export function openDatabase(layout: Layout, create: boolean): Connection {
  if (!existsSync(layout.database)) {
    refuseLostDatabase(layout);
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
  makePrivateFolder(layout.blobs);
  makeEmptyFile(layout.lock);
  // The project lock, taken here with a plain wait: creators come once, and never hold it already.
  const lock = Connection.bare(layout.lock);
  try {
    lock.run('BEGIN EXCLUSIVE');
    if (!existsSync(layout.database)) {
      refuseLostDatabase(layout);
      buildDatabase(layout, migrations);
    }
    lock.run('COMMIT');
  } finally {
    lock.close();
  }
}

function buildDatabase(layout: Layout, migrations: readonly string[]): void {
  const fresh = buildFresh(layout, migrations);
  syncPath(fresh);
  renameSync(fresh, layout.database);
  syncPath(layout.directory);
}

/** A new database under another name, whole and not synced; `fill` puts rows into it. */
export function buildFresh(
  layout: Layout,
  migrations: readonly string[] = MIGRATIONS,
  fill: (connection: Connection) => void = () => {},
): string {
  const fresh = `${layout.database}.new`;
  // A creator that died left these; we hold the lock, so nobody is at them now.
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(fresh + suffix, { force: true });
  makeEmptyFile(fresh);
  const connection = new Connection(fresh);
  try {
    connection.exec(UNDER_ITS_FIRST_NAME + NEW_DATABASE);
    migrate(connection, migrations);
    fill(connection);
    startLog(connection);
  } catch (error) {
    connection.close();
    rmSync(fresh, { force: true });
    throw error;
  }
  connection.close();
  return fresh;
}

/**
 * The write-ahead log comes last: what lay in it when the connection closes would have to be copied
 * into the database, and SQLite does not say when that fails.
 */
function startLog(connection: Connection): void {
  const row = connection.get<{ journal_mode: string }>('PRAGMA journal_mode = WAL');
  if (row?.journal_mode !== 'wal') {
    throw new SavepointError('store-failed', 'the file system cannot hold a write-ahead log');
  }
}

function missing(layout: Layout): SavepointError {
  return new SavepointError('store-missing', 'there is no store in this folder yet', {
    path: layout.directory,
  });
}
