import { SavepointError } from '../../model/errors.ts';
import { type BlobId, isBlobId } from '../../model/ids.ts';
import { checkReference } from '../check-scan-rows.ts';
import type { Blob, BlobReference } from '../store.ts';
import { blobFile } from './blob-files.ts';
import {
  type BlobRow,
  findPlace,
  insertReference,
  insertSmall,
  putRaw,
  replaceRow,
  settleRow,
} from './blob-rows.ts';
import { writeDurably } from './durable-files.ts';
import type { Encoded } from './encoding.ts';
import type { Layout } from './layout.ts';
import type { Numbers } from './numbers.ts';
import type { Opened } from './opened.ts';
import { readIntact } from './read-blob.ts';
import { bytesToHash } from './state-columns.ts';

/**
 * Stores blobs inside a transaction. Large ones are durable at once; where the arrivals ended before them
 * is returned, so that the caller can take them back. Null when there were none.
 */
export function storeBlobs(
  opened: Opened,
  blobs: readonly Blob[],
  numbers: Numbers,
): number | null {
  const large = new Map<BlobId, Blob>();
  for (const blob of blobs) {
    if (!isBlobId(blob.id))
      throw new SavepointError('argument-invalid', 'a blob has no SHA-256 as its id');
    if (blob.bytes.length <= opened.largeBlobBytes)
      numbers.knowBlob(blob.id, putSmall(opened, blob));
    else if (safeNumber(opened, blob.id) === null) large.set(blob.id, blob);
  }
  return large.size === 0 ? null : putLarge(opened, [...large.values()], numbers);
}

function putLarge(opened: Opened, blobs: readonly Blob[], numbers: Numbers): number {
  const { connection, arrivals } = opened;
  const begin = arrivals.end(connection);
  arrivals.append(connection, begin, blobs);
  let start = begin;
  for (const { id, bytes } of blobs) {
    numbers.knowBlob(id, putRaw(connection, id, bytes.length, start));
    start += bytes.length;
  }
  return begin;
}

/** Says where bytes are that the store has already. A row that has bytes of its own keeps them. */
export function putReference(opened: Opened, reference: BlobReference): void {
  checkReference(reference);
  if (opened.inMemory && reference.source === 'git') {
    throw new SavepointError('argument-invalid', 'a store in memory has no place for git objects');
  }
  insertReference(opened.connection, reference);
}

/**
 * Puts another form in place of a blob's bytes, inside a transaction. A file of the new form is durable
 * before; the file of the old form is returned, for the caller to remove after the commit.
 */
export function replaceBlob(opened: Opened, row: BlobRow, form: Encoded): string | null {
  const { connection, layout } = opened;
  if (form.encoding === row.encoding && form.base === null && row.base === null) {
    settleRow(connection, row.id);
    return null;
  }
  const id = bytesToHash(row.hash);
  const large = form.bytes.length > opened.largeBlobBytes;
  if (large) writeDurably(blobFile(layout, id, form.encoding), form.bytes);
  replaceRow(connection, row.id, form, large ? null : form.bytes);
  return ownFile(layout, row);
}

/** The file of a blob that has one of its own. */
function ownFile(layout: Layout, { hash, encoding, data }: BlobRow): string | null {
  if (data !== null || (encoding !== 'raw' && encoding !== 'zstd')) return null;
  return blobFile(layout, bytesToHash(hash), encoding);
}

/** An edit waits for this: nothing is looked up unless the blob is there already. */
function putSmall(opened: Opened, { id, bytes }: Blob): number {
  return (
    insertSmall(opened.connection, { id, bytes }) ??
    safeNumber(opened, id) ??
    putRaw(opened.connection, id, bytes.length, bytes)
  );
}

/**
 * The number of a blob that need not be put, or null. What lies outside the database is read before we
 * trust it: the bytes at hand could mend it.
 */
function safeNumber(opened: Opened, id: BlobId): number | null {
  const place = findPlace(opened.connection, id);
  if (place === null) return null;
  return place.inside || readIntact(opened, id) !== null ? place.id : null;
}
