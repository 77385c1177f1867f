import { type Dirent, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isBlobId } from '../../model/ids.ts';
import { parseBlobFile } from './blob-files.ts';
import { TEMPORARY_SUFFIX } from './durable-files.ts';
import type { Opened } from './opened.ts';
import { hashToBytes } from './state-columns.ts';

const NAMED = 'SELECT 1 FROM blobs WHERE hash = ? AND encoding = ? AND data IS NULL';

/**
 * Removes blob files that no row names: those of dropped blobs, and what a crash left between a file
 * and its row. In a transaction, because every writer makes its files in one.
 */
export function sweepBlobFiles(opened: Opened): void {
  opened.connection.immediate(() => {
    for (const folder of entriesOf(opened.layout.blobs)) {
      if (!folder.isDirectory()) continue;
      const path = join(opened.layout.blobs, folder.name);
      for (const { name } of entriesOf(path)) {
        if (isOrphan(opened, name)) rmSync(join(path, name), { force: true });
      }
    }
  });
}

/** Files whose names are not of our making are not ours to remove. */
function isOrphan(opened: Opened, name: string): boolean {
  if (name.endsWith(TEMPORARY_SUFFIX)) return true;
  const { id, encoding } = parseBlobFile(name);
  return isBlobId(id) && opened.connection.get(NAMED, hashToBytes(id), encoding) === undefined;
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    // The folder of large blobs comes with the first of them where somebody removed it.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
