import type { StoredDocument } from '../../model/execution.ts';
import { PART_KINDS, type Part } from '../parts/part.ts';
import type { Connection } from './connection.ts';
import { corrupt, nameOf, type PartNumbers, readParts, toPart } from './parts.ts';
import { sealOf } from './seals.ts';

interface DocumentRow {
  readonly category: string;
  readonly key: string;
  readonly hash: Uint8Array | null;
  readonly saved_at: number;
}

// JSON keeps what SQLite's text would not: lone surrogates, and NUL.

function written(name: string): string {
  return JSON.stringify(name);
}

function read(text: string): string {
  return JSON.parse(text) as string;
}

const PUT = `
  INSERT INTO documents (category, key, root, saved_at, hash, kind, data, seal)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
  ON CONFLICT (category, key) DO UPDATE SET root = excluded.root, saved_at = excluded.saved_at,
    hash = excluded.hash, kind = excluded.kind, data = excluded.data, seal = excluded.seal`;

export function putDocument(
  connection: Connection,
  { category, key, root, savedAt }: StoredDocument,
  parts: PartNumbers,
): void {
  const values = [written(category), written(key), parts.of(root), savedAt, null, null] as const;
  connection.run(PUT, ...values, null, sealOf(...values));
}

/** A document that is one small part: it needs no row of its own, and no name by which to find it. */
export function putSmallDocument(
  connection: Connection,
  { category, key, savedAt }: StoredDocument,
  { id, kind, data }: Part,
): void {
  const [hash, number] = [Buffer.from(id, 'hex'), PART_KINDS.indexOf(kind)];
  const values = [written(category), written(key), null, savedAt, hash, number] as const;
  connection.run(PUT, ...values, data, sealOf(...values));
}

export function removeDocument(connection: Connection, category: string, key: string): void {
  connection.run(
    'DELETE FROM documents WHERE category = ? AND key = ?',
    written(category),
    written(key),
  );
}

const FIND = `
  SELECT category, key, saved_at, coalesce(hash, (SELECT hash FROM parts WHERE id = root)) AS hash
  FROM documents WHERE category = ?`;

export function findDocument(
  connection: Connection,
  category: string,
  key: string,
): StoredDocument | null {
  const row = connection.get<DocumentRow>(`${FIND} AND key = ?`, written(category), written(key));
  return row === undefined ? null : toDocument(row);
}

const FIND_WHOLE = `
  SELECT category, key, saved_at, root, kind, data,
    coalesce(hash, (SELECT hash FROM parts WHERE id = root)) AS hash
  FROM documents WHERE category = ? AND key = ?`;

/** With all its parts, verified. */
export function readDocument(
  connection: Connection,
  category: string,
  key: string,
): { document: StoredDocument; parts: Part[] } | null {
  const row = connection.get<WholeRow>(FIND_WHOLE, written(category), written(key));
  if (row === undefined) return null;
  const document = toDocument(row);
  if (row.root !== null) return { document, parts: readParts(connection, document.root) };
  return { document, parts: [smallPart(row)] };
}

interface WholeRow extends DocumentRow {
  readonly root: number | null;
  readonly kind: number | null;
  readonly data: string | Uint8Array | null;
}

/** The one part of a document that is in its own row. Throws `part-corrupt`. */
export function smallPart(row: Pick<WholeRow, 'hash' | 'kind' | 'data'>): Part {
  const { hash, kind, data } = row;
  if (hash === null || kind === null || data === null) throw corrupt('of a small document');
  return toPart({ id: 0, hash, kind, children: null, data }, new Map());
}

export function listDocuments(connection: Connection, category: string): StoredDocument[] {
  const found = connection.all<DocumentRow>(FIND, written(category)).map(toDocument);
  return found.sort((a, b) => (a.key < b.key ? -1 : 1));
}

const NO_HASH = new Uint8Array(32);

/** One whose first part is lost is still there: whoever reads it is told. */
function toDocument({ category, key, hash, saved_at }: DocumentRow): StoredDocument {
  const root = nameOf(hash ?? NO_HASH);
  return { category: read(category), key: read(key), root, savedAt: saved_at };
}
