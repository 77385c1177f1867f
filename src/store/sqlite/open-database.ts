import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder, syncPath } from '../../fs/write-file.ts';
import { SavepointError } from '../../model/errors.ts';
import { Connection } from './connection.ts';
import { filesIn, type Layout, makeEmptyFile } from './layout.ts';
import { APPLICATION_ID, FORMAT, SCHEMA } from './schema.ts';

// 4 KiB: a commit touches about a dozen index pages, and they weigh more than one blob's bytes, which
// larger pages would take a little faster. Incremental, so that `prune` can shrink the file.
const NEW_DATABASE = `
  PRAGMA page_size = 4096;
  PRAGMA auto_vacuum = INCREMENTAL;
  PRAGMA application_id = ${APPLICATION_ID};
`;

// Nobody can find the database before it is complete, and then it is synced as a whole.
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
  const connection = Connection.ofStore(layout.database);
  try {
    requireReadable(connection, layout.database);
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
function createDatabase(layout: Layout): void {
  makePrivateFolder(layout.blobs);
  makeEmptyFile(layout.lock);
  // The project lock, taken here with a plain wait: creators come once, and never hold it already.
  const lock = Connection.bare(layout.lock);
  try {
    lock.run('BEGIN EXCLUSIVE');
    if (!existsSync(layout.database)) {
      refuseLostDatabase(layout);
      buildDatabase(layout);
    }
    lock.run('COMMIT');
  } finally {
    lock.close();
  }
}

function buildDatabase(layout: Layout): void {
  const fresh = buildFresh(layout);
  syncPath(fresh);
  renameSync(fresh, layout.database);
  syncPath(layout.directory);
}

/** A database that lives as long as its connection. */
export function memoryDatabase(): Connection {
  const connection = new Connection(':memory:');
  fill(connection);
  return connection;
}

function fill(connection: Connection): void {
  connection.exec(NEW_DATABASE);
  connection.immediate(() => connection.exec(SCHEMA));
}

/** A new database under another name, whole and not synced; `addRows` puts rows into it. */
export function buildFresh(
  layout: Layout,
  addRows: (connection: Connection) => void = () => {},
): string {
  const fresh = `${layout.database}.new`;
  // A creator that died left these; we hold the lock, so nobody is at them now.
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(fresh + suffix, { force: true });
  makeEmptyFile(fresh);
  const connection = new Connection(fresh);
  try {
    connection.exec(UNDER_ITS_FIRST_NAME);
    fill(connection);
    addRows(connection);
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

/** Refuses a database that is not a store, and a store of another format. */
function requireReadable(connection: Connection, file: string): void {
  const found = connection.get<{ application_id: number }>('PRAGMA application_id');
  if (found?.application_id !== APPLICATION_ID) {
    throw new SavepointError('store-corrupt', 'the database is not a Savepoint store', {
      path: file,
      hint: 'move the file away; a new store is made at the next start',
    });
  }
  const format = formatOf(connection);
  if (format !== FORMAT) throw otherFormat(format, file);
}

function formatOf(connection: Connection): number {
  return connection.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0;
}

export function otherFormat(format: number, file?: string): SavepointError {
  const message = `the store has format ${format}, and this Savepoint reads format ${FORMAT} only`;
  const hint = 'use the Savepoint that made it, or move its folder away to begin a new store';
  return new SavepointError('store-too-new', message, { path: file, hint });
}

function missing(layout: Layout): SavepointError {
  return new SavepointError('store-missing', 'there is no store in this folder yet', {
    path: layout.directory,
  });
}

/** Refuses a folder whose database is gone: a new one in its place would hide that there was one. */
function refuseLostDatabase({ database, damaged, directory }: Layout): void {
  const wasRepaired = filesIn(damaged).some((name) => existsSync(join(damaged, name, 'store.db')));
  if (!wasRepaired && !existsSync(`${database}-wal`)) return;
  // Another process may have made it since we looked: then it was there before its log.
  if (existsSync(database)) return;
  throw new SavepointError('store-corrupt', 'the database of the store is gone', {
    path: directory,
    hint: 'see what can be saved with: savepoint fsck --repair',
  });
}
