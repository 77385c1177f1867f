import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { isTemporary } from '../../fs/write-file.ts';
import { isBlobId } from '../../model/ids.ts';
import { parseBlobFile } from './blob-files.ts';
import type { Connection } from './connection.ts';
import { filesIn } from './files-in.ts';
import type { Opened } from './opened.ts';
import { hashToBytes } from './state-columns.ts';

const NAMED = 'SELECT 1 FROM blobs WHERE hash = ? AND encoding = ? AND data IS NULL';

/**
 * Removes what lies outside the database and no row names: that of dropped blobs, and what a crash left
 * before its row. In a transaction, because every writer writes there in one; and in one of its own, because
 * the rows must be gone for good before their bytes are.
 */
export function sweepBlobFiles(opened: Opened): void {
  const { connection, layout, arrivals } = opened;
  connection.immediate(() => {
    arrivals.shrink(connection);
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
