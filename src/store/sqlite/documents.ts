import { monotonicMs } from '../../model/clock.ts';
import { byName, namedBy, type StoredDocument } from '../../model/execution.ts';
import type { PartId } from '../../model/ids.ts';
import { PART_KINDS, type Part } from '../parts/part.ts';
import { sealOf } from '../seal.ts';
import { bytesToHash } from '../state-columns.ts';
import {
  DOCUMENT_LOOK_MS,
  type DocumentStore,
  type DocumentWrite,
  type LockOptions,
  type PutDocumentOptions,
} from '../store.ts';
import { Connection, isBusy, parseStored } from './connection.ts';
import type { Layout, Opened, Run } from './layout.ts';
import { joinWriters, requireSameFile, whenFree } from './lock.ts';
import { writeMeta } from './meta.ts';
import { corrupt, listOf, PartNumbers, type PartRow, readBelow, readParts } from './parts.ts';

export function documentStore(run: Run, writer: DocumentWriter): DocumentStore {
  return {
    put: (write, options) => run(() => writer.put(write, options)),
    remove: (category, key, options) => run(() => writer.remove(category, key, options)),
    list: (category, key) => run(({ connection }) => listDocuments(connection, category, key)),
    read: (category, key) =>
      run(({ connection }) =>
        // Somebody may replace it and prune between the row and its parts.
        connection.reading(() => readDocument(connection, category, key)),
      ),
    readParts: (root) => run(({ connection }) => readParts(connection, root)),
  };
}

interface DocumentRow {
  readonly category: string;
  readonly key: string;
  readonly hash: Uint8Array | null;
  readonly saved_at: number;
}

/** The columns that name a document. JSON keeps what SQLite's text would not: lone surrogates, and NUL. */
function nameOf(...names: readonly string[]): string[] {
  return names.map((name) => JSON.stringify(name));
}

/** One transaction, and one wait for the disk. */
function putDocument(connection: Connection, write: DocumentWrite, onlyNew: boolean): boolean {
  const { category, key, parts, root } = write;
  if (parts.length + root.children.length === 0 && isSmall(root) && !onlyNew) {
    // A statement by itself is a transaction.
    putRow(connection, write, null);
    return true;
  }
  const numbers = connection.immediate(() => {
    if (onlyNew && listDocuments(connection, category, key).length > 0) return null;
    const made = new PartNumbers(connection);
    for (const part of parts) made.put(part);
    putRow(connection, write, made);
    return made;
  });
  numbers?.keep();
  return numbers !== null;
}

// Several documents of this size fit on a page of the database.
const SMALL = 2_000;

/** A small first part lies in the row of its document, and needs no row among the parts. */
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
  const name = nameOf(category, key);
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

function removeDocument(connection: Connection, category: string, key: string): boolean {
  const sql = 'DELETE FROM documents WHERE category = ? AND key = ?';
  return connection.run(sql, ...nameOf(category, key)) > 0;
}

const FIND = `
  SELECT category, key, saved_at, coalesce(hash, (SELECT hash FROM parts WHERE id = part)) AS hash
  FROM documents`;

const NAMED = ['', 'WHERE category = ?', 'WHERE category = ? AND key = ?'];

function listDocuments(connection: Connection, category?: string, key?: string): StoredDocument[] {
  const names = nameOf(...namedBy(category, key));
  const rows = connection.all<DocumentRow>(`${FIND} ${NAMED[names.length]}`, ...names);
  return rows.map(toDocument).sort(byName);
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
function readDocument(
  connection: Connection,
  category: string,
  key: string,
): { document: StoredDocument; parts: Part[] } | null {
  const row = connection.get<WholeRow>(FIND_WHOLE, ...nameOf(category, key));
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

const NO_HASH = new Uint8Array(32);

/** A document whose first part is lost is listed as well: reading it throws. */
function toDocument({ category, key, hash, saved_at }: DocumentRow): StoredDocument {
  const root = bytesToHash<PartId>(hash ?? NO_HASH);
  return { category: JSON.parse(category), key: JSON.parse(key), root, savedAt: saved_at };
}

// Replacing a value leaves parts behind that nothing names any more. They are removed when as many are new as were
// left the last time, so that the database stays within a few times what is needed, and a save pays for about
// as many parts as it has made.
const LEAST_NEW_PARTS = 5_000;
const LOOK_EVERY_SAVES = 100;

const PARTS = `
  SELECT coalesce((SELECT max(id) FROM parts), 0) AS newest,
    (SELECT value FROM meta WHERE key = 'swept') AS swept`;

interface Swept {
  readonly newest: number;
  /** How many parts were left. */
  readonly left: number;
}

function isSweepDue(connection: Connection): boolean {
  const { newest = 0, swept = null } =
    connection.get<{ newest: number; swept: string | null }>(PARTS) ?? {};
  const last = swept === null ? { newest: 0, left: 0 } : (parseStored(swept) as Swept);
  return newest - last.newest > Math.max(LEAST_NEW_PARTS, last.left);
}

async function sweepParts(connection: Connection): Promise<void> {
  const { dropParts } = await import('./prune.ts');
  dropParts(connection);
  const sql = 'SELECT count(*) AS left, coalesce(max(id), 0) AS newest FROM parts';
  const swept: Swept = connection.get<Swept>(sql) ?? { left: 0, newest: 0 };
  writeMeta(connection, 'swept', JSON.stringify(swept));
  connection.exec('PRAGMA incremental_vacuum');
}

/**
 * Writes documents without the project lock, which would be a sixth of the cost of a small one. A transaction of
 * SQLite keeps writers apart. A repair, which replaces the database, is kept out as long as the store is open.
 * Nobody can keep people from removing the database, or a move from setting it aside: the writer looks for that now
 * and then, so that it acknowledges nothing which was written more than DOCUMENT_LOOK_MS afterwards.
 */
export class DocumentWriter {
  readonly #layout: Layout;
  readonly #file: string | null;
  readonly #closing: AbortSignal;
  #membership: Connection | null = null;
  /** A connection that never waits by itself: the event loop has to go on. */
  #connection: Connection | null = null;
  /** The connection of a store in memory, which no other process can reach. */
  readonly #shared: Connection | null;
  #lookedAt = 0;
  #saves = 0;

  constructor({ layout, connection, inMemory }: Opened, file: string | null, closing: AbortSignal) {
    this.#layout = layout;
    this.#file = file;
    this.#closing = closing;
    this.#shared = inMemory ? connection : null;
  }

  put(write: DocumentWrite, options: PutDocumentOptions): boolean | Promise<boolean> {
    const { onlyNew = false } = options;
    const isPut = this.#whenFree((connection) => putDocument(connection, write, onlyNew), options);
    this.#saves += 1;
    return this.#saves % LOOK_EVERY_SAVES === 1 ? this.#swept(isPut) : isPut;
  }

  /** The document is on record whether or not old parts can be removed: the next look may have more luck. */
  async #swept(isPut: boolean | Promise<boolean>): Promise<boolean> {
    const result = await isPut;
    try {
      const connection = this.#connected();
      if (isSweepDue(connection)) await sweepParts(connection);
    } catch {
      // Another process writes, or the store is damaged or closed.
    }
    return result;
  }

  remove(category: string, key: string, options: LockOptions): boolean | Promise<boolean> {
    return this.#whenFree((connection) => removeDocument(connection, category, key), options);
  }

  close(): void {
    this.#connection?.close();
    this.#membership?.close();
    this.#connection = null;
    this.#membership = null;
  }

  #whenFree<Result>(
    work: (connection: Connection) => Result,
    { timeoutMs, signal }: LockOptions,
  ): Result | Promise<Result> {
    const attempt = (): Result => {
      const result = work(this.#connected());
      // The process may have stood still since it looked, and nobody finds what it wrote to a store that was moved away.
      this.#look();
      return result;
    };
    try {
      // Mostly nobody else writes, and then there is nothing to wait for.
      if (signal?.aborted !== true) return attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    const either = signal ? AbortSignal.any([signal, this.#closing]) : this.#closing;
    return whenFree(attempt, { wanted: 'the database', timeoutMs, signal: either });
  }

  #connected(): Connection {
    if (this.#shared !== null) return this.#shared;
    this.#look();
    this.#connection ??= this.#connect();
    return this.#connection;
  }

  #look(): void {
    const now = monotonicMs();
    const isRecent = this.#connection !== null && now - this.#lookedAt <= DOCUMENT_LOOK_MS;
    if (this.#shared !== null || isRecent) return;
    requireSameFile(this.#layout.database, this.#file);
    this.#lookedAt = now;
  }

  #connect(): Connection {
    this.#membership ??= joinWriters(this.#layout);
    // A repair may have ended right before; and SQLite would make an empty database where there is none.
    requireSameFile(this.#layout.database, this.#file);
    return Connection.unwaiting(this.#layout.database);
  }
}
