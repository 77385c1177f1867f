import { rmSync } from 'node:fs';
import { SavepointError } from '../../model/errors.ts';
import { type BlobId, isBlobId } from '../../model/ids.ts';
import type { Blob } from '../store.ts';
import { blobFile, writeBlobFile } from './blob-files.ts';
import {
  type BlobRow,
  insertSmall,
  liesInFile,
  putLarge,
  replaceRow,
  settleRow,
} from './blob-rows.ts';
import { writeDurably } from './durable-files.ts';
import type { Encoded } from './encoding.ts';
import type { Opened } from './opened.ts';
import { readIntact } from './read-blob.ts';
import { bytesToHash } from './state-columns.ts';

/** Stores a blob inside a transaction. Files that it makes are durable at once, and named in `made`. */
export function putBlob(opened: Opened, { id, bytes }: Blob, made: BlobId[]): void {
  if (!isBlobId(id))
    throw new SavepointError('argument-invalid', 'a blob has no SHA-256 as its id');
  if (bytes.length <= opened.largeBlobBytes) insertSmall(opened.connection, id, bytes);
  else if (!isSafe(opened, id)) {
    if (writeBlobFile(opened.layout, id, bytes)) made.push(id);
    putLarge(opened.connection, id, bytes.length);
  }
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
  return row.data === null ? blobFile(layout, id, row.encoding) : null;
}

/** A file is read before we trust it: the bytes at hand could mend it. */
function isSafe(opened: Opened, id: BlobId): boolean {
  const file = liesInFile(opened.connection, id);
  return file !== undefined && (!file || readIntact(opened, id) !== null);
}
