import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { isBlobId } from '../../model/ids.ts';
import { parseBlobFile } from './blob-files.ts';
import type { Connection } from './connection.ts';
import { isTemporary } from './durable-files.ts';
import { filesIn } from './files-in.ts';
import type { Opened } from './opened.ts';
import { hashToBytes } from './state-columns.ts';

const NAMED = 'SELECT 1 FROM blobs WHERE hash = ? AND encoding = ? AND data IS NULL';

/**
 * Removes blob files that no row names: those of dropped blobs, and what a crash left between a file
 * and its row. In a transaction, because every writer makes its files in one.
 */
export function sweepBlobFiles(opened: Opened): void {
  const { connection, layout } = opened;
  connection.immediate(() => {
    for (const name of filesIn(layout.blobs)) {
      if (isOrphan(connection, name)) rmSync(join(layout.blobs, name), { force: true });
    }
  });
}

/** Files whose names are not of our making are not ours to remove. */
function isOrphan(connection: Connection, name: string): boolean {
  if (isTemporary(name)) return true;
  const { id, encoding } = parseBlobFile(name);
  return isBlobId(id) && connection.get(NAMED, hashToBytes(id), encoding) === undefined;
}
