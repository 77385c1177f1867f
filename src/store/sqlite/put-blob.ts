import { rmSync } from 'node:fs';
import { SavepointError } from '../../model/errors.ts';
import { type BlobId, isBlobId } from '../../model/ids.ts';
import { checkReference } from '../check-scan-rows.ts';
import type { Blob, BlobReference } from '../store.ts';
import { blobFile, writeBlobFile } from './blob-files.ts';
import {
  type BlobRow,
  insertReference,
  insertSmall,
  liesOutside,
  putRaw,
  replaceRow,
  settleRow,
} from './blob-rows.ts';
import type { Connection } from './connection.ts';
import { writeDurably } from './durable-files.ts';
import type { Encoded } from './encoding.ts';
import type { Layout } from './layout.ts';
import type { Opened } from './opened.ts';
import { readIntact } from './read-blob.ts';
import { bytesToHash } from './state-columns.ts';

/** Stores a blob inside a transaction. Files that it makes are durable at once, and named in `made`. */
export function putBlob(opened: Opened, { id, bytes }: Blob, made: BlobId[]): void {
  if (!isBlobId(id))
    throw new SavepointError('argument-invalid', 'a blob has no SHA-256 as its id');
  if (bytes.length <= opened.largeBlobBytes) putSmall(opened, id, bytes);
  else if (!isSafe(opened, id)) {
    if (writeBlobFile(opened.layout, id, bytes)) made.push(id);
    putRaw(opened.connection, id, bytes.length, null);
  }
}

/** Says where bytes are that the store has already. A row that has bytes of its own keeps them. */
export function putReference(connection: Connection, reference: BlobReference): void {
  checkReference(reference);
  insertReference(connection, reference);
}

/** Takes back the files of a transaction that failed. Called while it still keeps others out. */
export function removeBlobFiles(opened: Opened, made: readonly BlobId[]): void {
  for (const id of made) rmSync(blobFile(opened.layout, id, 'raw'), { force: true });
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
  if (data !== null || encoding === 'pack' || encoding === 'git') return null;
  return blobFile(layout, bytesToHash(hash), encoding);
}

/** An edit waits for this: nothing is looked up unless the blob is there already. */
function putSmall(opened: Opened, id: BlobId, bytes: Uint8Array): void {
  if (insertSmall(opened.connection, id, bytes) || isSafe(opened, id)) return;
  putRaw(opened.connection, id, bytes.length, bytes);
}

/** What lies outside is read before we trust it: the bytes at hand could mend it. */
function isSafe(opened: Opened, id: BlobId): boolean {
  const outside = liesOutside(opened.connection, id);
  return outside !== undefined && (!outside || readIntact(opened, id) !== null);
}
