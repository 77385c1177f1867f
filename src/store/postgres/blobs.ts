import { isUtf8 } from 'node:buffer';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { SavepointError } from '../../model/errors.ts';
import { type BlobId, isBlobId } from '../../model/ids.ts';
import { corruptBlob, hashBytes, missingBlob, newPackName, requireHash } from '../blob.ts';
import { bytesToHash, hashToBytes } from '../state-columns.ts';
import type { Blob, BlobReference, PackReceipt } from '../store.ts';
import { fourEach, type Opened, type Session, type Writing } from './database.ts';
import { alone, whileContentsStay } from './documents.ts';

// What one row holds, before compression: a large file never is one value.
const PIECE_BYTES = 1024 * 1024;
// What one statement brings.
const STATEMENT_BYTES = 4 * PIECE_BYTES;
const STATEMENT_PIECES = 500;
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };

interface Piece {
  readonly hash: Uint8Array;
  readonly place: number;
  readonly isZstd: boolean;
  readonly data: Uint8Array;
}

interface PieceRow {
  readonly size: number;
  readonly place: number | null;
  readonly is_zstd: boolean;
  readonly data: Uint8Array;
}

const READ = `
  SELECT size, place, is_zstd, data FROM blobs LEFT JOIN pieces USING (project, hash)
  WHERE project = $1 AND hash = $2 ORDER BY place`;

/** The bytes of a blob, checked against its hash. Throws `blob-missing` or `blob-corrupt`. */
export async function readBlob(session: Session, project: number, id: BlobId): Promise<Uint8Array> {
  const rows = isBlobId(id) ? await session.query<PieceRow>(READ, [project, hashToBytes(id)]) : [];
  const pieces = rows.filter(({ place }) => place !== null);
  if (pieces.length === 0) throw missingBlob(id);
  const bytes = joined(pieces, id);
  if (hashBytes(bytes) !== id) throw corruptBlob(id);
  return bytes;
}

/** Callers get no Buffer, which is compared and printed differently, and memory of their own. */
function joined(pieces: readonly PieceRow[], id: BlobId): Uint8Array {
  try {
    const raw = pieces.map(({ is_zstd, data }) =>
      is_zstd ? zstdDecompressSync(data, { maxOutputLength: PIECE_BYTES }) : data,
    );
    const bytes = new Uint8Array(raw.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const piece of raw) {
      bytes.set(piece, at);
      at += piece.length;
    }
    return bytes;
  } catch (cause) {
    throw corruptBlob(id, cause);
  }
}

const HELD =
  'SELECT hash FROM blobs WHERE project = $1 AND hash = ANY($2::bytea[]) AND stored IS NOT NULL';

const PUT = `
  INSERT INTO blobs (project, hash, size, stored, named)
  SELECT $1, hash, size, stored, $2 FROM unnest($3::bytea[], $4::bigint[], $5::bigint[]) AS given(hash, size, stored)
  ON CONFLICT (project, hash) DO UPDATE SET size = excluded.size, named = blobs.named OR excluded.named,
    stored = coalesce(blobs.stored, excluded.stored)`;

interface GivenContents {
  readonly blobs?: readonly Blob[];
  /** Bytes that the store has already. */
  readonly references?: readonly BlobReference[];
  /** Whether rows may name them from now on. */
  readonly isNamed: boolean;
}

/** Stores what the project does not hold yet, in one order: another worktree may be storing the same. */
export async function putBlobs(
  session: Writing,
  project: number,
  { blobs = [], references = [], isNamed }: GivenContents,
): Promise<void> {
  for (const reference of references) checkReference(reference);
  const sizes = new Map(references.map(({ id, size }) => [id, size]));
  const given = new Map<BlobId, Blob>();
  for (const blob of blobs) {
    requireHash(blob);
    given.set(blob.id, blob);
    sizes.set(blob.id, blob.bytes.length);
  }
  if (sizes.size === 0) return;
  const ids = [...sizes.keys()].sort();
  const hashes = ids.map(hashToBytes);
  const held = await session.query<{ hash: Uint8Array }>(HELD, [project, hashes]);
  const known = new Set(held.map(({ hash }) => bytesToHash(hash)));
  const fresh = new Map(
    ids.flatMap((id) => {
      const blob = known.has(id) ? undefined : given.get(id);
      return blob === undefined ? [] : [[id, piecesOf(blob)] as const];
    }),
  );
  const stored = ids.map((id) => fresh.get(id)?.reduce((sum, { data }) => sum + data.length, 0));
  const values = [ids.map((id) => sizes.get(id)), stored.map((bytes) => bytes ?? null)];
  session.send(PUT, [project, isNamed, hashes, ...values]);
  putPieces(session, project, [...fresh.values()].flat());
}

function checkReference({ id, size, source, key }: BlobReference): void {
  if (isBlobId(id) && Number.isSafeInteger(size) && size >= 0 && source === 'pack' && !key) return;
  const message =
    'a reference needs a SHA-256 and a size; this store has no place for objects of git';
  throw new SavepointError('argument-invalid', message);
}

/** At least one, so that an empty blob can be told from one that is not there. */
function piecesOf({ id, bytes, asText = false }: Blob): Piece[] {
  const hash = hashToBytes(id);
  const isReadable = asText && isUtf8(bytes);
  const count = Math.max(1, Math.ceil(bytes.length / PIECE_BYTES));
  return Array.from({ length: count }, (_, place) => {
    const raw = bytes.subarray(place * PIECE_BYTES, (place + 1) * PIECE_BYTES);
    const packed = isReadable ? raw : zstdCompressSync(raw, LEVEL);
    const isZstd = packed.length < raw.length;
    return { hash, place, isZstd, data: isZstd ? packed : raw };
  });
}

/** As single parameters, which go to the server as bytes; elements of a list would go as hexadecimal digits. */
function putPieces(session: Writing, project: number, pieces: readonly Piece[]): void {
  for (let at = 0; at < pieces.length; ) {
    const group: Piece[] = [];
    for (
      let bytes = 0;
      at < pieces.length && bytes < STATEMENT_BYTES && group.length < STATEMENT_PIECES;
      at += 1
    ) {
      const piece = pieces[at] as Piece;
      group.push(piece);
      bytes += piece.data.length;
    }
    const sql = `
      INSERT INTO pieces (project, hash, place, is_zstd, data) VALUES ${fourEach(group.length)}
      ON CONFLICT DO NOTHING`;
    const values = group.flatMap(({ hash, place, isZstd, data }) => [hash, place, isZstd, data]);
    session.send(sql, [project, ...values]);
  }
}

const PACK = `
  INSERT INTO packed (project, hash, worktree, pack) SELECT $1, unnest($2::bytea[]), $3, $4
  ON CONFLICT DO NOTHING`;
const PACK_TIMEOUT_MS = 30_000;

/**
 * See the port. A pack is a name that blobs of a worktree have in common: bytes that are there already are not sent
 * again. Each group is a transaction: one for all would keep other worktrees waiting.
 */
export async function putPack(
  opened: Opened,
  groups: AsyncIterable<readonly Blob[]>,
): Promise<PackReceipt> {
  const { database, schema, project, worktree } = opened;
  const first = whileContentsStay(schema, project, PACK_TIMEOUT_MS);
  const name = newPackName();
  const seen = new Set<BlobId>();
  let bytes = 0;
  try {
    for await (const group of groups) {
      const blobs = [...new Map(group.map((blob) => [blob.id, blob])).values()].filter(
        ({ id }) => !seen.has(id),
      );
      for (const blob of blobs) {
        seen.add(blob.id);
        bytes += blob.bytes.length;
      }
      const hashes = blobs.map(({ id }) => hashToBytes(id));
      await database.transactionAfter(first, async (session) => {
        await putBlobs(session, project, { blobs, isNamed: false });
        session.send(PACK, [project, hashes, worktree, name]);
      });
    }
  } catch (error) {
    // What cannot be removed now goes with the next prune.
    if (seen.size > 0) await dropPack(opened, name).catch(() => {});
    throw error;
  }
  return { packs: seen.size === 0 ? [] : [name], blobs: seen.size, bytes };
}

const PACK_HELD = `
  INSERT INTO packed (project, hash, worktree, pack)
  SELECT $1, hash, $3, $4 FROM blobs
  WHERE project = $1 AND hash = ANY($2::bytea[]) AND stored IS NOT NULL
  RETURNING hash`;

/** Gives a pack to what the project holds of these, and answers with that. */
export async function packHeld(
  { database, schema, project, worktree }: Opened,
  hashes: readonly Uint8Array[],
  name: string,
): Promise<Uint8Array[]> {
  const first = whileContentsStay(schema, project, PACK_TIMEOUT_MS);
  const values = [project, hashes, worktree, name];
  const rows = await database.transactionAfter(first, (session) =>
    session.query<{ hash: Uint8Array }>(PACK_HELD, values),
  );
  return rows.map(({ hash }) => hash);
}

const DROP_PACK =
  'DELETE FROM packed WHERE project = $1 AND worktree = $2 AND pack = $3 RETURNING hash';
const DROP_UNNAMED = `
  DELETE FROM blobs WHERE project = $1 AND hash = ANY($2::bytea[]) AND NOT named
    AND NOT EXISTS (SELECT 1 FROM packed WHERE packed.project = $1 AND packed.hash = blobs.hash)`;

async function dropPack(
  { database, schema, project, worktree }: Opened,
  name: string,
): Promise<void> {
  const first = alone(schema, project, PACK_TIMEOUT_MS);
  await database.transactionAfter(first, async (session) => {
    const values = [project, worktree, name];
    const rows = await session.query<{ hash: Uint8Array }>(DROP_PACK, values);
    session.send(DROP_UNNAMED, [project, rows.map(({ hash }) => hash)]);
  });
}
