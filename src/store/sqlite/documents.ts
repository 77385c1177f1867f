import type { StoredDocument } from '../../model/execution.ts';
import { PART_KINDS, type Part } from '../parts/part.ts';
import type { DocumentWrite } from '../store.ts';
import type { Connection } from './connection.ts';
import {
  corrupt,
  listOf,
  nameOf,
  PartNumbers,
  type PartRow,
  readBelow,
  readParts,
} from './parts.ts';
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

/** One transaction, and one wait for the disk. */
export function putDocument(
  connection: Connection,
  write: DocumentWrite,
  onlyNew: boolean,
): boolean {
  const { category, key, parts, root } = write;
  if (parts.length + root.children.length === 0 && isSmall(root) && !onlyNew) {
    // A statement by itself is a transaction.
    putRow(connection, write, null);
    return true;
  }
  const numbers = connection.immediate(() => {
    if (onlyNew && findDocument(connection, category, key) !== null) return null;
    const made = new PartNumbers(connection);
    for (const part of parts) made.put(part);
    putRow(connection, write, made);
    return made;
  });
  numbers?.keep();
  return numbers !== null;
}

// Of which several fit on a page of the database.
const SMALL = 2_000;

/** Then it needs no row of its own among the parts, and no name by which to find it. */
function isSmall(root: Part): boolean {
  return root.data.length <= SMALL;
}

const PUT = `
  INSERT INTO documents (category, key, part, saved_at, hash, kind, children, data, seal)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
  ON CONFLICT (category, key) DO UPDATE SET part = excluded.part, saved_at = excluded.saved_at,
    hash = excluded.hash, kind = excluded.kind, children = excluded.children, data = excluded.data,
    seal = excluded.seal`;

function putRow(connection: Connection, write: DocumentWrite, numbers: PartNumbers | null): void {
  const { category, key, savedAt, root } = write;
  const name = [written(category), written(key)] as const;
  if (isSmall(root)) {
    const [hash, kind] = [Buffer.from(root.id, 'hex'), PART_KINDS.indexOf(root.kind)];
    const children = listOf(numbers?.below(root) ?? []);
    const values = [...name, null, savedAt, hash, kind, children] as const;
    connection.run(PUT, ...values, root.data, sealOf(...values));
    return;
  }
  numbers?.put(root);
  const values = [...name, numbers?.of(root.id) ?? null, savedAt, null, null, null] as const;
  connection.run(PUT, ...values, null, sealOf(...values));
}

export function removeDocument(connection: Connection, category: string, key: string): boolean {
  const sql = 'DELETE FROM documents WHERE category = ? AND key = ?';
  return connection.run(sql, written(category), written(key)) > 0;
}

const FIND = `
  SELECT category, key, saved_at, coalesce(hash, (SELECT hash FROM parts WHERE id = part)) AS hash
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
  SELECT category, key, saved_at, part, kind, children, data,
    coalesce(hash, (SELECT hash FROM parts WHERE id = part)) AS hash
  FROM documents WHERE category = ? AND key = ?`;

interface WholeRow extends DocumentRow {
  readonly part: number | null;
  readonly kind: number | null;
  readonly children: string | null;
  readonly data: string | Uint8Array | null;
}

/** With all its parts, verified. */
export function readDocument(
  connection: Connection,
  category: string,
  key: string,
): { document: StoredDocument; parts: Part[] } | null {
  const row = connection.get<WholeRow>(FIND_WHOLE, written(category), written(key));
  if (row === undefined) return null;
  const document = toDocument(row);
  const parts =
    row.part === null ? readBelow(connection, ownPart(row)) : readParts(connection, document.root);
  return { document, parts };
}

/** The first part of a document that is in its own row, as a row of its own would have it. */
export function ownPart(row: Pick<WholeRow, 'hash' | 'kind' | 'children' | 'data'>): PartRow {
  const { hash, kind, children, data } = row;
  if (hash === null || kind === null || data === null) throw corrupt('of a document');
  return { id: 0, hash, kind, children, data };
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
