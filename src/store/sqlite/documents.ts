import type { StoredDocument } from '../../model/execution.ts';
import type { Connection } from './connection.ts';
import { nameOf, type PartNumbers } from './parts.ts';
import { newSealSql } from './seals.ts';

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
  INSERT OR REPLACE INTO documents (category, key, root, saved_at, seal)
  VALUES (?1, ?2, ?3, ?4, ${newSealSql('documents')})`;

export function putDocument(
  connection: Connection,
  { category, key, root, savedAt }: StoredDocument,
  parts: PartNumbers,
): void {
  connection.run(PUT, written(category), written(key), parts.of(root), savedAt);
}

export function removeDocument(connection: Connection, category: string, key: string): void {
  connection.run(
    'DELETE FROM documents WHERE category = ? AND key = ?',
    written(category),
    written(key),
  );
}

const FIND = `
  SELECT category, key, saved_at, (SELECT hash FROM parts WHERE id = root) AS hash
  FROM documents WHERE category = ?`;

export function findDocument(
  connection: Connection,
  category: string,
  key: string,
): StoredDocument | null {
  const row = connection.get<DocumentRow>(`${FIND} AND key = ?`, written(category), written(key));
  return row === undefined ? null : toDocument(row);
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
