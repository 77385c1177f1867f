import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SavepointError } from '../../model/errors.ts';
import { type BlobId, isBlobId } from '../../model/ids.ts';
import { corruptBlob, hashBytes, missingBlob, requireHash } from '../blob.ts';
import { isLostBlob } from '../find.ts';
import { bytesToHash, hashToBytes } from '../state-columns.ts';
import type { Blob, BlobReference } from '../store.ts';
import type { Connection } from './connection.ts';
import { decompress, type Encoded, type Encoding, requireDictionaries } from './encoding.ts';
import { type Layout, type Opened, writeDurably } from './layout.ts';
import type { Numbers } from './numbers.ts';
import { newSealSql } from './seals.ts';

export interface BlobRow {
  readonly id: number;
  readonly hash: Uint8Array;
  readonly size: number;
  /** How the bytes lie in `data` or in the blob's file, or where else they are, if anywhere. */
  readonly encoding: Encoding | BlobReference['source'] | 'text' | 'arrived' | 'missing';
  readonly base: number | null;
  readonly depth: number;
  /**
   * Null for a blob that lies in a file of its own, or in a pack; for one in git, the object's id; for one
   * that has just arrived, where it begins among the arrivals.
   */
  readonly data: Uint8Array | number | null;
}

/** The bytes of a blob, checked against its hash. Throws `blob-missing` or `blob-corrupt`. */
export function readBlob(opened: Opened, id: BlobId): Uint8Array {
  try {
    return readOnce(opened, id);
  } catch (error) {
    if (!isLostBlob(error) && !isMissingFile(error)) throw error;
  }
  // Compaction or pruning may have moved the bytes between our look at the row and at the file.
  try {
    return readOnce(opened, id);
  } catch (error) {
    throw isMissingFile(error) ? missingBlob(id, error) : error;
  }
}

/** As `readBlob`, but null where the bytes are lost; for work that can go on without them. */
export function readIntact(opened: Opened, id: BlobId): Uint8Array | null {
  return intact(() => readBlob(opened, id));
}

/** The bytes that `read` gives; null where they are lost. */
export function intact(read: () => Uint8Array | null): Uint8Array | null {
  try {
    return read();
  } catch (error) {
    if (isLostBlob(error)) return null;
    throw error;
  }
}

function readOnce(opened: Opened, id: BlobId): Uint8Array {
  const chain = isBlobId(id) ? findChain(opened.connection, id) : [];
  // A baseline names blobs that have no row.
  let bytes = chain.length === 0 ? opened.packs.read(id) : null;
  for (const row of chain.reverse()) bytes = decode(opened, id, row, bytes);
  if (bytes === null) throw missingBlob(id);
  if (hashBytes(bytes) !== id) throw corruptBlob(id);
  // Callers get no Buffer, which is compared and printed differently.
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

// The bytes are no part of the search: SQLite would copy them at each step. The limit only ends a circle
// that damage made; chains are far shorter.
const CHAIN = `
  WITH RECURSIVE chain AS (
    SELECT id, base, 0 AS step FROM blobs WHERE hash = ?
    UNION ALL
    SELECT blobs.id, blobs.base, step + 1 FROM blobs JOIN chain ON blobs.id = chain.base
    WHERE step < 64
  )
  SELECT blobs.id, hash, size, encoding, blobs.base, depth, data, step
  FROM chain CROSS JOIN blobs ON blobs.id = chain.id`;

/** The row of a blob and those of all that is needed to read it, each compressed against the next. */
export function findChain(connection: Connection, id: BlobId): BlobRow[] {
  const rows = connection.all<BlobRow & { readonly step: number }>(CHAIN, hashToBytes(id));
  return rows.sort((a, b) => a.step - b.step);
}

const NO_KEY: Uint8Array = new Uint8Array(0);

function decode(opened: Opened, wanted: BlobId, row: BlobRow, base: Uint8Array | null): Uint8Array {
  const { encoding, data } = row;
  const hash = bytesToHash(row.hash);
  if (encoding === 'pack' || encoding === 'missing') {
    const bytes = opened.packs.read(hash);
    if (bytes === null) throw missingBlob(wanted);
    return bytes;
  }
  if (typeof data === 'number') return opened.arrivals.read(data, row.size);
  if (encoding === 'git') return opened.gitObjects.read(data ?? NO_KEY);
  const form = encoding === 'zstd' ? 'zstd' : 'raw';
  const stored = data ?? readFileSync(blobFile(opened.layout, hash, form));
  if (form === 'raw') return stored;
  if (row.base !== null) requireDictionaries();
  try {
    return decompress(stored, row.size, row.base === null ? undefined : (base ?? undefined));
  } catch (error) {
    throw corruptBlob(wanted, error);
  }
}

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
    requireHash(blob);
    if (blob.asText === true && isUtf8(blob.bytes)) {
      numbers.knowBlob(blob.id, putText(opened, blob));
    } else if (blob.bytes.length <= opened.largeBlobBytes) {
      numbers.knowBlob(blob.id, putSmall(opened, blob));
    } else if (safeNumber(opened, blob.id) === null) large.set(blob.id, blob);
  }
  return large.size === 0 ? null : putLarge(opened, [...large.values()], numbers);
}

// Compaction leaves a text alone, so that people can read it with SQL. A row that is there already gets the bytes at
// hand; bytes that it had elsewhere before belong to nobody now.
const PUT = `
  INSERT INTO blobs (hash, size, stored, encoding, pending, base, depth, data, seal)
  VALUES (?1, ?2, ?2, ?3, ?3 <> 'text', NULL, 0, ?4, ${newSealSql('blobs')})
  ON CONFLICT (hash) DO UPDATE SET size = excluded.size, stored = excluded.stored,
    encoding = excluded.encoding, pending = excluded.pending, base = NULL, depth = 0,
    data = excluded.data, seal = excluded.seal`;
const PUT_ANYWAY = `${PUT} RETURNING id`;
const IS_INSIDE = `(data IS NOT NULL AND encoding IN ('raw', 'zstd', 'text'))`;
const PUT_SMALL = `${PUT} WHERE NOT ${IS_INSIDE} RETURNING id`;

/**
 * An edit waits for this. Bytes in a pack or in git would have to be read before we trust them, which takes longer
 * than to keep the bytes at hand; compaction makes those small.
 */
function putSmall({ connection }: Opened, { id, bytes }: Blob): number {
  const values = [hashToBytes(id), bytes.length, 'raw', bytes] as const;
  const row =
    connection.get<{ id: number }>(PUT_SMALL, ...values) ??
    connection.get<{ id: number }>('SELECT id FROM blobs WHERE hash = ?', values[0]);
  return (row as { id: number }).id;
}

function putText({ connection }: Opened, { id, bytes }: Blob): number {
  const values = [hashToBytes(id), bytes.length, 'text', bytes] as const;
  return (connection.get<{ id: number }>(PUT_ANYWAY, ...values) as { id: number }).id;
}

function putLarge(opened: Opened, blobs: readonly Blob[], numbers: Numbers): number {
  const { connection, arrivals } = opened;
  const begin = arrivals.end(connection);
  arrivals.append(connection, begin, blobs);
  let start = begin;
  for (const { id, bytes } of blobs) {
    const values = [hashToBytes(id), bytes.length, 'arrived', start] as const;
    const row = connection.get<{ id: number }>(PUT_ANYWAY, ...values) as { id: number };
    numbers.knowBlob(id, row.id);
    start += bytes.length;
  }
  return begin;
}

const PLACE = `SELECT id, ${IS_INSIDE} AS inside FROM blobs WHERE hash = ? AND encoding <> 'missing'`;

/**
 * The number of a large blob that need not be put, or null. Bytes outside the database are read before we trust
 * them: the bytes at hand could mend them. A pack may hold what a row does not know of, and go without it.
 */
function safeNumber(opened: Opened, id: BlobId): number | null {
  const row = opened.connection.get<{ id: number; inside: number }>(PLACE, hashToBytes(id));
  if (row === undefined) return null;
  return row.inside === 1 || readIntact(opened, id) !== null ? row.id : null;
}

// The newest reference knows best where the bytes are. A row that has bytes of its own keeps them.
const REFER = `
  INSERT INTO blobs (hash, size, stored, encoding, pending, base, depth, data, seal)
  VALUES (?1, ?2, 0, ?3, 0, NULL, 0, ?4, ${newSealSql('blobs')})
  ON CONFLICT (hash) DO UPDATE SET size = excluded.size, encoding = excluded.encoding,
    data = excluded.data, seal = excluded.seal
  WHERE encoding IN ('pack', 'git', 'missing')`;
const GIT_KEY_BYTES = 20;

/** Says where bytes are that the store has already. */
export function putReference(opened: Opened, { id, size, source, key }: BlobReference): void {
  const keyBytes = source === 'git' ? GIT_KEY_BYTES : undefined;
  if (!isBlobId(id) || !Number.isSafeInteger(size) || size < 0 || key?.length !== keyBytes) {
    const message = 'a reference needs a SHA-256, a size, and for git the 20 bytes of an id';
    throw new SavepointError('argument-invalid', message);
  }
  if (opened.inMemory && source === 'git') {
    throw new SavepointError('argument-invalid', 'a store in memory has no place for git objects');
  }
  opened.connection.run(REFER, hashToBytes(id), size, source, key);
}

const REPLACE = `
  UPDATE blobs SET stored = ?, encoding = ?, pending = 0, base = ?, depth = ?, data = ?
  WHERE id = ?`;

/**
 * Puts another form in place of a blob's bytes, inside a transaction. A file of the new form is durable
 * before; the file of the old form is returned, for the caller to remove after the commit.
 */
export function replaceBlob(opened: Opened, row: BlobRow, form: Encoded): string | null {
  const { connection, layout, largeBlobBytes } = opened;
  const { encoding, bytes, base } = form;
  if (encoding === row.encoding && base === null && row.base === null) {
    connection.run('UPDATE blobs SET pending = 0 WHERE id = ?', row.id);
    return null;
  }
  const id = bytesToHash(row.hash);
  const isLarge = bytes.length > largeBlobBytes;
  if (isLarge) writeDurably(blobFile(layout, id, encoding), bytes);
  const depth = base === null ? 0 : base.depth + 1;
  const data = isLarge ? null : bytes;
  connection.run(REPLACE, bytes.length, encoding, base?.id ?? null, depth, data, row.id);
  const hasFile = row.data === null && (row.encoding === 'raw' || row.encoding === 'zstd');
  return hasFile ? blobFile(layout, id, row.encoding) : null;
}

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

/** Which blob a file's name stands for. Anybody can give a file a name: `id` may be no hash at all. */
export function parseBlobFile(name: string): { id: string; encoding: Encoding } {
  return name.endsWith(COMPRESSED_SUFFIX)
    ? { id: name.slice(0, -COMPRESSED_SUFFIX.length), encoding: 'zstd' }
    : { id: name, encoding: 'raw' };
}

function isMissingFile(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === 'ENOENT';
}
