import { join } from 'node:path';
import type { BlobId } from '../../model/ids.ts';
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
