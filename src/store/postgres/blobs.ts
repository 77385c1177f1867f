import { isUtf8 } from 'node:buffer';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { SavepointError } from '../../model/errors.ts';
import { type BlobId, isBlobId } from '../../model/ids.ts';
import { hashBytes, newPackName } from '../blob.ts';
import { bytesToHash, hashToBytes } from '../state-columns.ts';
import type { Blob, BlobReference, PackReceipt } from '../store.ts';
import type { Database, Session, Writing } from './database.ts';

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
  if (pieces.length === 0) {
    throw new SavepointError('blob-missing', `blob ${id} is not in the store`);
  }
  const bytes = joined(pieces, id);
  if (hashBytes(bytes) !== id) throw corrupt(id);
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
    throw corrupt(id, cause);
  }
}

function corrupt(id: BlobId, cause?: unknown): SavepointError {
  return new SavepointError('blob-corrupt', `blob ${id} does not match its hash`, { cause });
}

const HELD =
  'SELECT hash FROM blobs WHERE project = $1 AND hash = ANY($2::bytea[]) AND stored IS NOT NULL';

const PUT = `
  INSERT INTO blobs (project, hash, size, stored, named)
  SELECT $1, hash, size, stored, $2 FROM unnest($3::bytea[], $4::bigint[], $5::bigint[]) AS given(hash, size, stored)
  ON CONFLICT (project, hash) DO UPDATE SET size = excluded.size, named = blobs.named OR excluded.named,
    stored = coalesce(blobs.stored, excluded.stored)`;

/** Stores what the store does not hold yet; what it holds is named from now on, if `isNamed`. */
export async function putBlobs(
  session: Writing,
  project: number,
  blobs: readonly Blob[],
  isNamed: boolean,
): Promise<void> {
  const given = new Map<BlobId, Blob>();
  for (const blob of blobs) {
    if (!isBlobId(blob.id)) {
      throw new SavepointError('argument-invalid', 'a blob has no SHA-256 as its id');
    }
    given.set(blob.id, blob);
  }
  if (given.size === 0) return;
  const hashes = [...given.keys()].map(hashToBytes);
  const held = await session.query<{ hash: Uint8Array }>(HELD, [project, hashes]);
  const known = new Set(held.map(({ hash }) => bytesToHash(hash)));
  const fresh = [...given.values()].filter(({ id }) => !known.has(id)).map(piecesOf);
  const stored = new Map(
    fresh.map((pieces) => [bytesToHash((pieces[0] as Piece).hash), storedBytes(pieces)]),
  );
  const sizes = [...given.values()].map(({ bytes }) => bytes.length);
  const bytes = [...given.keys()].map((id) => stored.get(id) ?? null);
  await session.run(PUT, [project, isNamed, hashes, sizes, bytes]);
  await putPieces(session, project, fresh.flat());
}

function storedBytes(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { data }) => sum + data.length, 0);
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
async function putPieces(
  session: Writing,
  project: number,
  pieces: readonly Piece[],
): Promise<void> {
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
    const places = group.map(
      (_, row) => `($1, ${[2, 3, 4, 5].map((n) => `$${row * 4 + n}`).join(', ')})`,
    );
    const sql = `
      INSERT INTO pieces (project, hash, place, is_zstd, data) VALUES ${places.join(', ')}
      ON CONFLICT DO NOTHING`;
    const values = group.flatMap(({ hash, place, isZstd, data }) => [hash, place, isZstd, data]);
    await session.run(sql, [project, ...values]);
  }
}

const REFER = `
  INSERT INTO blobs (project, hash, size, stored, named)
  SELECT $1, hash, size, NULL, true FROM unnest($2::bytea[], $3::bigint[]) AS given(hash, size)
  ON CONFLICT (project, hash) DO UPDATE SET named = true`;

/** Says of bytes that the store has already that rows may name them. */
export async function putReferences(
  session: Writing,
  project: number,
  references: readonly BlobReference[],
): Promise<void> {
  const given = new Map(references.map((reference) => [reference.id, reference]));
  for (const { id, size, source, key } of given.values()) {
    if (isBlobId(id) && Number.isSafeInteger(size) && size >= 0 && source === 'pack' && !key)
      continue;
    const message =
      'a reference needs a SHA-256 and a size; this store has no place for objects of git';
    throw new SavepointError('argument-invalid', message);
  }
  if (given.size === 0) return;
  const sizes = [...given.values()].map(({ size }) => size);
  await session.run(REFER, [project, [...given.keys()].map(hashToBytes), sizes]);
}

const PACK = `
  INSERT INTO packed (project, hash, pack) SELECT $1, unnest($2::bytea[]), $3 ON CONFLICT DO NOTHING`;

/**
 * See the port. A pack is a name that blobs have in common: bytes that are there already are not sent again. One
 * transaction, so that nothing is kept where the groups fail.
 */
export function putPack(
  database: Database,
  project: number,
  groups: AsyncIterable<readonly Blob[]>,
): Promise<PackReceipt> {
  const name = newPackName();
  return database.transaction(async (session) => {
    const seen = new Set<BlobId>();
    let bytes = 0;
    for await (const group of groups) {
      const fresh = [...new Map(group.map((blob) => [blob.id, blob])).values()].filter(
        ({ id }) => !seen.has(id),
      );
      await putBlobs(session, project, fresh, false);
      await session.run(PACK, [project, fresh.map(({ id }) => hashToBytes(id)), name]);
      for (const blob of fresh) {
        seen.add(blob.id);
        bytes += blob.bytes.length;
      }
    }
    return { packs: seen.size === 0 ? [] : [name], blobs: seen.size, bytes };
  });
}
