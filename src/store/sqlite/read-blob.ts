import { readFileSync } from 'node:fs';
import { isSavepointError, SavepointError } from '../../model/errors.ts';
import { type BlobId, isBlobId } from '../../model/ids.ts';
import { hashBytes } from '../blob.ts';
import { blobFile } from './blob-files.ts';
import { type BlobRow, findChain } from './blob-rows.ts';
import { decompress, requireDictionaries } from './encoding.ts';
import type { Opened } from './opened.ts';
import { bytesToHash } from './state-columns.ts';

const NO_KEY: Uint8Array = new Uint8Array(0);

/** The bytes of a blob, checked against its hash. Throws `blob-missing` or `blob-corrupt`. */
export function readBlob(opened: Opened, id: BlobId): Uint8Array {
  try {
    return readOnce(opened, id);
  } catch (error) {
    // Compaction or pruning may move the bytes away between our look at the row and at the file.
    if (!isGone(error) && !isSavepointError(error, 'blob-corrupt')) throw error;
  }
  try {
    return readOnce(opened, id);
  } catch (error) {
    throw isMissingFile(error) ? missing(id, error) : error;
  }
}

/** As `readBlob`, but null where the bytes are lost; for work that can go on without them. */
export function readIntact(opened: Opened, id: BlobId): Uint8Array | null {
  return intact(() => readBlob(opened, id));
}

/** What a way to read bytes gives; null where they are lost. */
export function intact(read: () => Uint8Array | null): Uint8Array | null {
  try {
    return read();
  } catch (error) {
    if (isSavepointError(error, 'blob-missing') || isSavepointError(error, 'blob-corrupt'))
      return null;
    throw error;
  }
}

function readOnce(opened: Opened, id: BlobId): Uint8Array {
  const chain = isBlobId(id) ? findChain(opened.connection, id) : [];
  if (chain.length === 0) throw missing(id);
  let bytes: Uint8Array | undefined;
  for (const row of chain.reverse()) bytes = decode(opened, id, row, bytes);
  if (bytes === undefined || hashBytes(bytes) !== id) throw corrupt(id);
  return plain(bytes);
}

function decode(
  opened: Opened,
  wanted: BlobId,
  row: BlobRow,
  base: Uint8Array | undefined,
): Uint8Array {
  const { encoding, data } = row;
  if (encoding === 'missing') throw missing(wanted);
  if (encoding === 'pack') return readFromPack(opened, bytesToHash(row.hash));
  if (typeof data === 'number') return opened.arrivals.read(data, row.size);
  if (encoding === 'git') return opened.gitObjects.read(data ?? NO_KEY);
  const stored = data ?? readStored(opened, row);
  if (encoding !== 'zstd') return stored;
  if (row.base !== null) requireDictionaries();
  try {
    return decompress(stored, row.size, row.base === null ? undefined : base);
  } catch (error) {
    throw corrupt(wanted, error);
  }
}

function readStored({ layout }: Opened, { hash, encoding }: BlobRow): Uint8Array {
  const form = encoding === 'zstd' ? 'zstd' : 'raw';
  return readFileSync(blobFile(layout, bytesToHash(hash), form));
}

function readFromPack({ packs }: Opened, id: BlobId): Uint8Array {
  const bytes = packs.read(id);
  if (bytes === null) throw missing(id);
  return bytes;
}

/** Callers get no Buffer, which is compared and printed differently. */
function plain(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

function isGone(error: unknown): boolean {
  return isMissingFile(error) || isSavepointError(error, 'blob-missing');
}

function isMissingFile(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === 'ENOENT';
}

function missing(id: BlobId, cause?: unknown): SavepointError {
  return new SavepointError('blob-missing', `blob ${id} is not in the store`, { cause });
}

function corrupt(id: BlobId, cause?: unknown): SavepointError {
  return new SavepointError('blob-corrupt', `blob ${id} does not match its hash`, { cause });
}
