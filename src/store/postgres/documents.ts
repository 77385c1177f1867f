import { byName, namedBy, type StoredDocument } from '../../model/execution.ts';
import type { PartId } from '../../model/ids.ts';
import type { DocumentStore, DocumentWrite, LockOptions, PutDocumentOptions } from '../store.ts';
import type { OpenedProject, Prepared, Run, Session } from './database.ts';
import { dropParts, putParts, readParts } from './parts.ts';
import { lockClass } from './schema.ts';

const ONE_MOMENT = 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY';

export function documentStore(run: Run<OpenedProject>): DocumentStore {
  const sweeper = new Sweeper();
  return {
    put: (write, options) =>
      run(async (opened) => {
        const fresh = await putDocument(opened, write, options);
        if (fresh !== null) await sweeper.swept(opened, fresh);
        return fresh !== null;
      }),
    remove: (category, key, options) =>
      run((opened) => removeDocument(opened, category, key, options)),
    list: (category, key) =>
      run((opened) => listDocuments(opened.database, opened.project, category, key)),
    read: (category, key) =>
      run(({ database, project }) =>
        // Somebody may replace it and prune between the row and its parts.
        database.transactionAfter(ONE_MOMENT, async (session) => {
          const [document] = await listDocuments(session, project, category, key);
          if (document === undefined) return null;
          return { document, parts: await readParts(session, project, document.root) };
        }),
      ),
    readParts: (root) => run(({ database, project }) => readParts(database, project, root)),
  };
}

/** The columns that name a document, in the order of the primary key. JSON keeps lone surrogates, and NUL. */
export function documentName(
  project: number,
  { category, key }: Pick<StoredDocument, 'category' | 'key'>,
): readonly [number, string, string] {
  return [project, JSON.stringify(category), JSON.stringify(key)];
}

const INSERT = `
  INSERT INTO documents (project, category, key, root, saved_at) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (project, category, key)`;
const PUT: Prepared = {
  name: 'put-document',
  text: `${INSERT} DO UPDATE SET root = excluded.root, saved_at = excluded.saved_at`,
};
const PUT_NEW: Prepared = { name: 'put-new-document', text: `${INSERT} DO NOTHING` };

/** How many parts are new; null where the document was to be new and is not. */
async function putDocument(
  { database, project, schema }: OpenedProject,
  write: DocumentWrite,
  { timeoutMs, signal, onlyNew = false }: PutDocumentOptions,
): Promise<number | null> {
  signal?.throwIfAborted();
  const { savedAt, root, parts } = write;
  const values = [...documentName(project, write), Buffer.from(root.id, 'hex'), savedAt];
  const first = whileContentsStay(schema, project, timeoutMs);
  return database.transactionAfter(first, async (session) => {
    if (onlyNew) {
      if ((await session.run(PUT_NEW, values)) === 0) return null;
    } else session.send(PUT, values);
    return putParts(session, project, [...parts, root]);
  });
}

// Replacing a value leaves parts behind that nothing names any more. They are removed when this store has made as many
// new ones as were left the last time, so that a save pays for about as many parts as it has made.
const LEAST_NEW_PARTS = 1_000;
const SWEEP_TIMEOUT_MS = 1_000;

class Sweeper {
  #fresh = 0;
  #left = 0;

  /** The document is on record whether or not old parts can be removed: the next time may have more luck. */
  async swept({ database, schema, project }: OpenedProject, fresh: number): Promise<void> {
    this.#fresh += fresh;
    if (this.#fresh <= Math.max(LEAST_NEW_PARTS, this.#left)) return;
    this.#fresh = 0;
    const first = alone(schema, project, SWEEP_TIMEOUT_MS);
    const count = 'SELECT count(*) AS left FROM parts WHERE project = $1';
    try {
      await database.transactionAfter(first, (session) => dropParts(session, project));
      this.#left = (await database.query<{ left: number }>(count, [project]))[0]?.left ?? 0;
    } catch {
      // Somebody names parts at the moment, or the server went away.
    }
  }
}

async function removeDocument(
  { database, project }: OpenedProject,
  category: string,
  key: string,
  { timeoutMs, signal }: LockOptions,
): Promise<boolean> {
  signal?.throwIfAborted();
  const sql = 'DELETE FROM documents WHERE project = $1 AND category = $2 AND key = $3';
  const values = documentName(project, { category, key });
  const first = lockTimeout(timeoutMs);
  return (await database.transactionAfter(first, (session) => session.run(sql, values))) > 0;
}

/** Statements for the begin of a transaction that names contents: nobody prunes the project's meanwhile. */
export function whileContentsStay(schema: string, project: number, timeoutMs: number): string {
  const lock = `SELECT pg_advisory_xact_lock_shared(${lockClass(schema, 'contents')}, ${project})`;
  return `${lockTimeout(timeoutMs)}; ${lock}`;
}

/** Statements for the begin of a transaction that prunes contents. */
export function alone(schema: string, project: number, timeoutMs: number): string {
  return whileContentsStay(schema, project, timeoutMs).replace('_shared', '');
}

const LONGEST_MS = 2 ** 31 - 1;

/** The server takes 0 for no limit. */
export function lockLimit(timeoutMs: number): number {
  return Math.ceil(Math.min(Math.max(timeoutMs, 1), LONGEST_MS));
}

export function lockTimeout(timeoutMs: number): string {
  return `SET LOCAL lock_timeout = ${lockLimit(timeoutMs)}`;
}

interface DocumentRow {
  readonly category: string;
  readonly key: string;
  readonly root: Buffer;
  readonly saved_at: number;
}

const FIND = 'SELECT category, key, root, saved_at FROM documents WHERE project = $1';

const NAMED = ['', 'AND category = $2', 'AND category = $2 AND key = $3'];

async function listDocuments(
  session: Session,
  project: number,
  category?: string,
  key?: string,
): Promise<StoredDocument[]> {
  const names = namedBy(category, key);
  const sql = `${FIND} ${NAMED[names.length]}`;
  const values = [project, ...names.map((name) => JSON.stringify(name))];
  return (await session.query<DocumentRow>(sql, values)).map(toDocument).sort(byName);
}

function toDocument({ category, key, root, saved_at }: DocumentRow): StoredDocument {
  const id = root.toString('hex') as PartId;
  return { category: JSON.parse(category), key: JSON.parse(key), root: id, savedAt: saved_at };
}
