import { rmSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import type { BlobId } from '../../model/ids.ts';
import type { BlobRow } from './blob-rows.ts';
import type { Connection } from './connection.ts';
import { type Base, canBeBase, type Encoded, encodeBest } from './encoding.ts';
import type { Opened } from './opened.ts';
import { replaceBlob } from './put-blob.ts';
import { readIntact } from './read-blob.ts';
import { bytesToHash } from './state-columns.ts';

// One transaction, and one turn of the event loop, is about this long.
const SLICE_MS = 10;

const NEXT = `
  SELECT id, hash, size, encoding, base, depth, data FROM blobs
  WHERE pending = 1 AND id > ? ORDER BY id LIMIT 1`;

// The change that brought this content for the first time says what it was made from.
const PREVIOUS = `
  SELECT blobs.id, blobs.hash, blobs.size, blobs.depth FROM changes
  JOIN blobs ON blobs.hash = changes.before_blob
  WHERE changes.after_blob = ?1 AND changes.before_blob <> ?1
  ORDER BY changes.seq LIMIT 1`;

/** Compresses blobs that nobody looked at yet, oldest first. The caller holds the project lock. */
export async function compact(opened: Opened, budgetMs: number): Promise<void> {
  const deadline = opened.now() + budgetMs;
  let reached: number | null = 0;
  while (reached !== null && opened.now() < deadline) {
    reached = compactSlice(opened, reached, Math.min(deadline, opened.now() + SLICE_MS));
    await setImmediate();
  }
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

function compactSlice(opened: Opened, after: number, until: number): number | null {
  const replaced: string[] = [];
  const reached = opened.connection.immediate(() => {
    let at = after;
    do {
      const row = opened.connection.get<BlobRow>(NEXT, at);
      if (row === undefined) return null;
      const file = compactBlob(opened, row);
      if (file !== null) replaced.push(file);
      at = row.id;
    } while (opened.now() < until);
    return at;
  });
  for (const file of replaced) rmSync(file, { force: true });
  return reached;
}

function compactBlob(opened: Opened, row: BlobRow): string | null {
  const id = bytesToHash(row.hash);
  const raw = readIntact(opened, id);
  // Damaged bytes are left as they are: whoever reads them is told, and a later put can mend them.
  if (raw === null) return null;
  return replaceBlob(opened, row, chooseForm(opened, raw, findBase(opened, row)));
}

/**
 * The previous version. A blob that others lean on gets none: that would make their chains longer
 * behind their backs, and is the only way in which a circle could arise.
 */
function findBase(opened: Opened, row: BlobRow): Base | null {
  if (isLeanedOn(opened.connection, row.id)) return null;
  const found = opened.connection.get<Omit<BlobRow, 'data'>>(PREVIOUS, row.hash);
  if (found === undefined || !canBeBase(found.size, found.depth)) return null;
  const bytes = readIntact(opened, bytesToHash(found.hash) as BlobId);
  return bytes && { id: found.id, depth: found.depth, bytes };
}

function isLeanedOn(connection: Connection, id: number): boolean {
  return connection.get('SELECT 1 FROM blobs WHERE base = ? LIMIT 1', id) !== undefined;
}
