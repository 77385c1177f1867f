import type { BlobId } from '../../model/ids.ts';
import type { Connection } from './connection.ts';
import type { Encoded, Encoding } from './encoding.ts';
import { hashToBytes } from './state-columns.ts';

export interface BlobRow {
  readonly id: number;
  readonly hash: Uint8Array;
  readonly size: number;
  readonly encoding: Encoding;
  readonly base: number | null;
  readonly depth: number;
  /** Null for a blob that lies in a file of its own. */
  readonly data: Uint8Array | null;
}

// The limit only ends a circle that damage made; chains are far shorter.
const CHAIN = `
  WITH RECURSIVE chain AS (
    SELECT id, hash, size, encoding, base, depth, data, 0 AS step FROM blobs WHERE hash = ?
    UNION ALL
    SELECT blobs.id, blobs.hash, blobs.size, blobs.encoding, blobs.base, blobs.depth, blobs.data,
      step + 1
    FROM blobs JOIN chain ON blobs.id = chain.base
    WHERE step < 64
  )
  SELECT * FROM chain ORDER BY step`;

const INSERT = `
  INSERT INTO blobs (hash, size, stored, encoding, pending, base, depth, data)
  VALUES (?, ?, ?, 'raw', 1, NULL, 0, ?)`;

const REPLACE = `
  UPDATE blobs SET stored = ?, encoding = ?, pending = 0, base = ?, depth = ?, data = ?
  WHERE id = ?`;

/** The row of a blob and those of all that is needed to read it, each compressed against the next. */
export function findChain(connection: Connection, id: BlobId): BlobRow[] {
  return connection.all<BlobRow>(CHAIN, hashToBytes(id));
}

/** Whether a blob is there, and in a file of its own. Undefined when it is not there. */
export function liesInFile(connection: Connection, id: BlobId): boolean | undefined {
  const sql = 'SELECT data IS NULL AS file FROM blobs WHERE hash = ?';
  const row = connection.get<{ file: number }>(sql, hashToBytes(id));
  return row && row.file === 1;
}

export function insertSmall(connection: Connection, id: BlobId, bytes: Uint8Array): void {
  const sql = `${INSERT} ON CONFLICT (hash) DO NOTHING`;
  connection.run(sql, hashToBytes(id), bytes.length, bytes.length, bytes);
}

/** For bytes that lie in their raw file. A row there already had lost its bytes, and is made anew. */
export function putLarge(connection: Connection, id: BlobId, size: number): void {
  const sql = `${INSERT} ON CONFLICT (hash) DO UPDATE SET stored = excluded.stored,
    encoding = 'raw', pending = 1, base = NULL, depth = 0, data = NULL`;
  connection.run(sql, hashToBytes(id), size, size, null);
}

/** `data` is null when the encoded bytes lie in a file. */
export function replaceRow(
  connection: Connection,
  id: number,
  { encoding, bytes, base }: Encoded,
  data: Uint8Array | null,
): void {
  const depth = base === null ? 0 : base.depth + 1;
  connection.run(REPLACE, bytes.length, encoding, base?.id ?? null, depth, data, id);
}

export function settleRow(connection: Connection, id: number): void {
  connection.run('UPDATE blobs SET pending = 0 WHERE id = ?', id);
}
