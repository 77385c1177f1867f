import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Connection } from './connection.ts';
import type { Opened } from './opened.ts';

/** All files of the store. A file with a second name elsewhere, such as a pack of git's, costs nothing. */
export function diskBytes({ connection, layout, packs, inMemory }: Opened): number {
  if (inMemory) return databaseBytes(connection) + packs.bytes();
  // What lies in the log is counted where it belongs, as far as no reader keeps it there.
  connection.get('PRAGMA wal_checkpoint(TRUNCATE)');
  return readdirSync(layout.directory, { recursive: true, encoding: 'utf8' })
    .map((name) => lstatSync(join(layout.directory, name), { throwIfNoEntry: false }))
    .filter((stats) => stats?.isFile() && stats.nlink === 1)
    .reduce((sum, stats) => sum + (stats?.size ?? 0), 0);
}

function databaseBytes(connection: Connection): number {
  const sql = 'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size';
  return connection.get<{ bytes: number }>(sql)?.bytes ?? 0;
}
