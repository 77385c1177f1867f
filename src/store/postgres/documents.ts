import type { StoredDocument } from '../../model/execution.ts';
import type { PartId } from '../../model/ids.ts';
import type { DocumentStore, DocumentWrite, LockOptions, PutDocumentOptions } from '../store.ts';
import type { Session, Writing } from './database.ts';
import type { Opened, Run } from './opened.ts';
import { putParts, readParts } from './parts.ts';
import { lockClass } from './schema.ts';

export function documentStore(run: Run): DocumentStore {
  return {
    put: (write, options) => run((opened) => putDocument(opened, write, options)),
    remove: (category, key, options) =>
      run((opened) => removeDocument(opened, category, key, options)),
    list: (category, key) =>
      run((opened) => listDocuments(opened.database, opened.project, category, key)),
    read: (category, key) =>
      run(({ database, project }) =>
        // Somebody may replace it and prune between the row and its parts.
        database.transaction(
          async (session) => {
            const [document] = await listDocuments(session, project, category, key);
            if (document === undefined) return null;
            return { document, parts: await readParts(session, project, document.root) };
          },
          { first: 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY' },
        ),
      ),
    readParts: (root) => run(({ database, project }) => readParts(database, project, root)),
  };
}

// JSON keeps what text would not: lone surrogates, and NUL.

function written(name: string): string {
  return JSON.stringify(name);
}

function read(text: string): string {
  return JSON.parse(text) as string;
}

const INSERT = `
  INSERT INTO documents (project, category, key, root, saved_at) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (project, category, key)`;
const PUT = `${INSERT} DO UPDATE SET root = excluded.root, saved_at = excluded.saved_at`;
const PUT_NEW = `${INSERT} DO NOTHING`;

async function putDocument(
  { database, project, schema }: Opened,
  write: DocumentWrite,
  { timeoutMs, signal, onlyNew = false }: PutDocumentOptions,
): Promise<boolean> {
  signal?.throwIfAborted();
  const { category, key, savedAt, root, parts } = write;
  const name = [project, written(category), written(key)];
  const values = [...name, Buffer.from(root.id, 'hex'), savedAt];
  const put = async (session: Writing): Promise<boolean> => {
    if ((await session.run(onlyNew ? PUT_NEW : PUT, values)) === 0) return false;
    await putParts(session, project, [...parts, root]);
    return true;
  };
  return database.transaction(put, { first: whilePartsStay(schema, project, timeoutMs) });
}

async function removeDocument(
  { database, project }: Opened,
  category: string,
  key: string,
  { timeoutMs, signal }: LockOptions,
): Promise<boolean> {
  signal?.throwIfAborted();
  const sql = 'DELETE FROM documents WHERE project = $1 AND category = $2 AND key = $3';
  const values = [project, written(category), written(key)];
  const remove = async (session: Writing): Promise<boolean> => (await session.run(sql, values)) > 0;
  return database.transaction(remove, { first: lockTimeout(timeoutMs) });
}

/** Statements for the begin of a transaction that names parts: nobody prunes them meanwhile. */
export function whilePartsStay(schema: string, project: number, timeoutMs: number): string {
  const lock = `SELECT pg_advisory_xact_lock_shared(${lockClass(schema, 'parts')}, ${project})`;
  return `${lockTimeout(timeoutMs)}; ${lock}`;
}

/** Statements for the begin of a transaction that prunes parts. */
export function alone(schema: string, project: number, timeoutMs: number): string {
  return whilePartsStay(schema, project, timeoutMs).replace('_shared', '');
}

const LONGEST_MS = 2 ** 31 - 1;

/** The server takes 0 for no limit. */
export function lockTimeout(timeoutMs: number): string {
  return `SET LOCAL lock_timeout = ${Math.ceil(Math.min(Math.max(timeoutMs, 1), LONGEST_MS))}`;
}

interface DocumentRow {
  readonly category: string;
  readonly key: string;
  readonly root: Buffer;
  readonly saved_at: number;
}

const FIND =
  'SELECT category, key, root, saved_at FROM documents WHERE project = $1 AND category = $2';

/** In the order of their keys; with a key, at most that one. */
async function listDocuments(
  session: Session,
  project: number,
  category: string,
  key?: string,
): Promise<StoredDocument[]> {
  const rows =
    key === undefined
      ? await session.query<DocumentRow>(FIND, [project, written(category)])
      : await session.query<DocumentRow>(`${FIND} AND key = $3`, [
          project,
          written(category),
          written(key),
        ]);
  return rows.map(toDocument).sort((a, b) => (a.key < b.key ? -1 : 1));
}

function toDocument({ category, key, root, saved_at }: DocumentRow): StoredDocument {
  const id = root.toString('hex') as PartId;
  return { category: read(category), key: read(key), root: id, savedAt: saved_at };
}
