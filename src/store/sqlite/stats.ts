import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { StoreStats } from '../store.ts';
import type { Opened } from './opened.ts';

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
