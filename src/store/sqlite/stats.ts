import type { StoreStats } from '../store.ts';
import type { Connection } from './connection.ts';
import { type Opened, sizeBelow } from './layout.ts';

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
  const counts = connection.get<StoreStats>(STATS) as StoreStats;
  return { ...counts, packedBytes: packs.bytes(), gitBytes: sizeBelow(layout.git) };
}

/** All files of the store. A file with a second name elsewhere, such as a pack of git's, costs nothing. */
export function diskBytes({ connection, layout, packs, inMemory }: Opened): number {
  if (inMemory) return databaseBytes(connection) + packs.bytes();
  // What lies in the log is counted where it belongs, as far as no reader keeps it there.
  connection.get('PRAGMA wal_checkpoint(TRUNCATE)');
  return sizeBelow(layout.directory, ({ nlink }) => nlink === 1);
}

function databaseBytes(connection: Connection): number {
  const sql = 'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size';
  return connection.get<{ bytes: number }>(sql)?.bytes ?? 0;
}
