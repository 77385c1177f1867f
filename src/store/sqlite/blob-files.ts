import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { BlobId } from '../../model/ids.ts';
import { hashBytes } from '../blob.ts';
import { syncPath, writeDurably } from './durable-files.ts';
import type { Encoding } from './encoding.ts';
import type { Layout } from './layout.ts';

const COMPRESSED_SUFFIX = '.zst';

/**
 * All in one folder: file systems index their folders, while a folder for each first byte made the
 * first writes of a store half again as slow. A compressed form has another name, so that both can be
 * there until the row has been switched.
 */
export function blobFile(layout: Layout, id: BlobId, encoding: Encoding): string {
  const name = encoding === 'zstd' ? id + COMPRESSED_SUFFIX : id;
  return join(layout.blobs, name);
}

/** Which blob a file's name stands for; `id` is whatever the name says and may be no hash at all. */
export function parseBlobFile(name: string): { id: string; encoding: Encoding } {
  return name.endsWith(COMPRESSED_SUFFIX)
    ? { id: name.slice(0, -COMPRESSED_SUFFIX.length), encoding: 'zstd' }
    : { id: name, encoding: 'raw' };
}

/** Makes the raw bytes durable in their file. True when that file was not there before. */
export function writeBlobFile(layout: Layout, id: BlobId, bytes: Uint8Array): boolean {
  const file = blobFile(layout, id, 'raw');
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === bytes.length && hashBytes(readFileSync(file)) === id) {
    // Left by a crash: whole, but maybe only in the kernel's memory.
    syncPath(file);
    syncPath(layout.blobs);
    return false;
  }
  writeDurably(file, bytes);
  return size === undefined;
}
