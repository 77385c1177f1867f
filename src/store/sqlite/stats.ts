import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { StoreStats } from '../store.ts';
import type { Connection } from './connection.ts';
import type { Opened } from './layout.ts';

const STATS = `
  SELECT
    (SELECT count(*) FROM sessions) AS sessions,
    (SELECT count(*) FROM checkpoints) AS checkpoints,
    (SELECT count(*) FROM changes) AS changes,
    (SELECT count(*) FROM operations) AS operations,
    count(*) AS blobs,
    coalesce(sum(size), 0) AS blobBytes,
    coalesce(sum(stored), 0) AS storedBytes
  FROM blobs WHERE encoding <> 'missing'`;

export function readStats({ connection, layout, packs }: Opened): StoreStats {
  const { sessions, checkpoints, changes, operations, blobs, blobBytes, storedBytes } =
    connection.get<StoreStats>(STATS) as StoreStats;
  const packedBytes = packs.bytes();
  const gitBytes = sizeBelow(layout.git);
  return {
    sessions,
    checkpoints,
    changes,
    operations,
    blobs,
    blobBytes,
    storedBytes,
    packedBytes,
    gitBytes,
  };
}

/** Of all files, however deep. Nothing where the folder was never made. */
function sizeBelow(folder: string): number {
  let entries: string[];
  try {
    entries = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
  return entries
    .map((entry) => lstatSync(join(folder, entry), { throwIfNoEntry: false }))
    .reduce((sum, stat) => sum + (stat?.isFile() ? stat.size : 0), 0);
}

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
