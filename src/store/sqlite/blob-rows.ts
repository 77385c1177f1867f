import type { BlobId } from '../../model/ids.ts';
import type { Blob, BlobReference } from '../store.ts';
import type { Connection } from './connection.ts';
import type { Encoded, Encoding } from './encoding.ts';
import { newSealSql } from './seals.ts';
import { hashToBytes } from './state-columns.ts';

export interface BlobRow {
  readonly id: number;
  readonly hash: Uint8Array;
  readonly size: number;
  /** How the bytes lie in `data` or in the blob's file, or where else they are, if anywhere. */
  readonly encoding: Encoding | BlobReference['source'] | 'arrived' | 'missing';
  readonly base: number | null;
  readonly depth: number;
  /**
   * Null for a blob that lies in a file of its own, or in a pack; for one in git, the object's id; for one
   * that has just arrived, where it begins among the arrivals.
   */
  readonly data: Uint8Array | number | null;
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

const INSERT = `
  INSERT INTO blobs (hash, size, stored, encoding, pending, base, depth, data, seal)
  VALUES (?1, ?2, ?2, ?3, 1, NULL, 0, ?4, ${newSealSql('blobs')})`;

// The newest reference knows best where the bytes are; bytes of its own a row keeps.
const REFER = `
  INSERT INTO blobs (hash, size, stored, encoding, pending, base, depth, data, seal)
  VALUES (?1, ?2, 0, ?3, 0, NULL, 0, ?4, ${newSealSql('blobs')})
  ON CONFLICT (hash) DO UPDATE SET size = excluded.size, encoding = excluded.encoding,
    data = excluded.data, seal = excluded.seal
  WHERE encoding IN ('pack', 'git', 'missing')`;

const REPLACE = `
  UPDATE blobs SET stored = ?, encoding = ?, pending = 0, base = ?, depth = ?, data = ?
  WHERE id = ?`;

/** The row of a blob and those of all that is needed to read it, each compressed against the next. */
export function findChain(connection: Connection, id: BlobId): BlobRow[] {
  const rows = connection.all<BlobRow & { readonly step: number }>(CHAIN, hashToBytes(id));
  return rows.sort((a, b) => a.step - b.step);
}

/** The number of a blob that there is a row of, and whether its bytes are in the database. */
export function findPlace(
  connection: Connection,
  id: BlobId,
): { readonly id: number; readonly inside: boolean } | null {
  const sql = `
    SELECT id, data IS NOT NULL AND encoding IN ('raw', 'zstd') AS inside FROM blobs WHERE hash = ?`;
  const row = connection.get<{ id: number; inside: number }>(sql, hashToBytes(id));
  return row === undefined ? null : { id: row.id, inside: row.inside === 1 };
}

/** Its number; null when there is a row already, which stays. */
export function insertSmall(connection: Connection, { id, bytes }: Blob): number | null {
  const sql = `${INSERT} ON CONFLICT (hash) DO NOTHING RETURNING id`;
  const values = [hashToBytes(id), bytes.length, 'raw', bytes] as const;
  return connection.get<{ id: number }>(sql, ...values)?.id ?? null;
}

/**
 * `data` is a number for bytes that lie there among the arrivals. A row there already had lost its bytes,
 * and is made anew.
 */
export function putRaw(
  connection: Connection,
  id: BlobId,
  size: number,
  data: Uint8Array | number,
): number {
  const sql = `${INSERT} ON CONFLICT (hash) DO UPDATE SET size = excluded.size,
    stored = excluded.stored, encoding = excluded.encoding, pending = 1, base = NULL, depth = 0,
    data = excluded.data, seal = excluded.seal RETURNING id`;
  const encoding = typeof data === 'number' ? 'arrived' : 'raw';
  const values = [hashToBytes(id), size, encoding, data] as const;
  return (connection.get<{ id: number }>(sql, ...values) as { id: number }).id;
}

export function insertReference(connection: Connection, reference: BlobReference): void {
  const { id, size, source, key } = reference;
  connection.run(REFER, hashToBytes(id), size, source, key);
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
