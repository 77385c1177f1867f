import { setImmediate } from 'node:timers/promises';
import type { BlobRow } from './blob-rows.ts';
import { chooseForm } from './compaction.ts';
import type { Opened } from './opened.ts';
import { replaceBlob } from './put-blob.ts';
import { readIntact } from './read-blob.ts';
import { bytesToHash } from './state-columns.ts';

/** References to bytes that lie elsewhere: in a pack of ours, or in one of git's. */
export function references(opened: Opened, encoding: 'pack' | 'git'): BlobRow[] {
  const sql = 'SELECT id, hash, size, encoding, base, depth, data FROM blobs WHERE encoding = ?';
  return opened.connection.all<BlobRow>(sql, encoding);
}

/** Stores the bytes of references anew, before that goes to which they refer. What is lost stays so. */
export async function takeOver(opened: Opened, rows: readonly BlobRow[]): Promise<void> {
  for (const row of rows) {
    const raw = readIntact(opened, bytesToHash(row.hash));
    if (raw === null) continue;
    opened.connection.immediate(() => replaceBlob(opened, row, chooseForm(opened, raw, null)));
    await setImmediate();
  }
}
