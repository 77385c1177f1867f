import { rmSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { bytesToHash } from '../state-columns.ts';
import { type BlobRow, readIntact, replaceBlob } from './blobs.ts';
import type { Connection } from './connection.ts';
import { type Base, canBeBase, type Encoded, encodeBest } from './encoding.ts';
import type { Opened } from './layout.ts';

// One transaction, and one turn of the event loop, is about this long.
const SLICE_MS = 10;

const NEXT = `
  SELECT id, hash, size, encoding, base, depth, data FROM blobs
  WHERE pending = 1 AND id > ? ORDER BY id LIMIT 1`;

const BASE = 'SELECT id, hash, size, depth FROM blobs WHERE id = ?';

// The change that brought a content for the first time says what it was made from. Of a group, SQLite
// takes the other columns from the row that has the minimum.
const PREVIOUS = `
  SELECT after_blob AS id, before_blob AS previous, min(seq) FROM changes
  WHERE after_blob IN (SELECT id FROM blobs WHERE pending = 1)
    AND before_blob IS NOT NULL AND before_blob <> after_blob
  GROUP BY after_blob`;

/** Compresses blobs that nobody looked at yet, oldest first. The caller holds the project lock. */
export async function compact(opened: Opened, budgetMs: number): Promise<void> {
  const deadline = opened.now() + budgetMs;
  const previous = previousVersions(opened.connection);
  let reached: number | null = 0;
  while (reached !== null && opened.now() < deadline) {
    const until = Math.min(deadline, opened.now() + SLICE_MS);
    reached = compactSlice(opened, previous, reached, until);
    await setImmediate();
  }
  opened.connection.immediate(() => opened.arrivals.shrink(opened.connection));
  giveBack(opened.connection);
}

/** For each pending blob, by its number: the number of the previous version. */
type Previous = ReadonlyMap<number, number>;

function previousVersions(connection: Connection): Previous {
  const rows = connection.all<{ id: number; previous: number }>(PREVIOUS);
  return new Map(rows.map(({ id, previous }) => [id, previous]));
}

// Rewriting a database takes as long as writing it; past this size only free pages are given back.
const SMALL_DATABASE_BYTES = 64 * 1024 * 1024;

/** Gives the space that compression freed back to the disk. */
function giveBack(connection: Connection): void {
  const pages = pragma(connection, 'page_count');
  const isSmall = pages * pragma(connection, 'page_size') <= SMALL_DATABASE_BYTES;
  const isLoose = pragma(connection, 'freelist_count') > pages / 4;
  try {
    connection.exec(isSmall && isLoose ? 'VACUUM' : 'PRAGMA incremental_vacuum');
  } catch {
    // A reader at the wrong moment, or no room to rewrite it: everything is compressed all the same.
  }
}

function pragma(connection: Connection, name: string): number {
  const row = connection.get<Record<string, number>>(`PRAGMA ${name}`);
  return row?.[name] ?? 0;
}

/**
 * The form to keep `raw` in. A form that leans on another blob is kept in the database only: files
 * then stand alone, and never have to be rewritten in place when a base goes.
 */
export function chooseForm(opened: Opened, raw: Uint8Array, base: Base | null): Encoded {
  const form = encodeBest(raw, base);
  const leaning = form.base !== null && form.bytes.length > opened.largeBlobBytes;
  return leaning ? encodeBest(raw, null) : form;
}

function compactSlice(
  opened: Opened,
  previous: Previous,
  after: number,
  until: number,
): number | null {
  const replaced: string[] = [];
  const reached = opened.connection.immediate(() => {
    let at = after;
    do {
      const row = opened.connection.get<BlobRow>(NEXT, at);
      if (row === undefined) return null;
      const file = compactBlob(opened, row, previous);
      if (file !== null) replaced.push(file);
      at = row.id;
    } while (opened.now() < until);
    return at;
  });
  for (const file of replaced) rmSync(file, { force: true });
  return reached;
}

function compactBlob(opened: Opened, row: BlobRow, previous: Previous): string | null {
  const id = bytesToHash(row.hash);
  const raw = readIntact(opened, id);
  // Damaged bytes are left as they are: whoever reads them is told, and a later put can mend them.
  if (raw === null) return null;
  return replaceBlob(
    opened,
    row,
    chooseForm(opened, raw, findBase(opened, row, previous.get(row.id))),
  );
}

/**
 * The previous version. A blob that others lean on gets none: that would make their chains longer
 * behind their backs, and is the only way in which a circle could arise.
 */
function findBase(opened: Opened, row: BlobRow, previous: number | undefined): Base | null {
  if (previous === undefined || isLeanedOn(opened.connection, row.id)) return null;
  const found = opened.connection.get<Omit<BlobRow, 'data'>>(BASE, previous);
  if (found === undefined || !canBeBase(found.size, found.depth)) return null;
  return asBase(opened, found);
}

/** Null where the bytes are lost. */
export function asBase(opened: Opened, row: Pick<BlobRow, 'id' | 'hash' | 'depth'>): Base | null {
  const bytes = readIntact(opened, bytesToHash(row.hash));
  return bytes && { id: row.id, depth: row.depth, bytes };
}

function isLeanedOn(connection: Connection, id: number): boolean {
  return connection.get('SELECT 1 FROM blobs WHERE base = ? LIMIT 1', id) !== undefined;
}

/** References to bytes that lie elsewhere: in a pack of ours, or in one of git's. */
export function references(opened: Opened, encoding: 'pack' | 'git'): BlobRow[] {
  const sql = 'SELECT id, hash, size, encoding, base, depth, data FROM blobs WHERE encoding = ?';
  return opened.connection.all<BlobRow>(sql, encoding);
}

/** Stores the bytes of references anew, before the pack goes that holds them. Lost bytes stay lost. */
export async function takeOver(opened: Opened, rows: readonly BlobRow[]): Promise<void> {
  for (const row of rows) {
    const raw = readIntact(opened, bytesToHash(row.hash));
    if (raw === null) continue;
    opened.connection.immediate(() => replaceBlob(opened, row, chooseForm(opened, raw, null)));
    await setImmediate();
  }
}
