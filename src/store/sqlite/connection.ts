import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { fileSize } from '../../fs/entries.ts';
import { type ErrorCode, SavepointError } from '../../model/errors.ts';
import { sealOf } from '../seal.ts';

// Other processes write too, each for some milliseconds; past this something is wrong.
const BUSY_TIMEOUT_MS = 5_000;

// 8 MB of pages: a document of some hundred kilobytes is read again without asking the system.
const STORE_SETTINGS = `
  PRAGMA synchronous = FULL;
  PRAGMA fullfsync = ON;
  PRAGMA checkpoint_fullfsync = ON;
  PRAGMA foreign_keys = ON;
  PRAGMA trusted_schema = OFF;
  PRAGMA temp_store = MEMORY;
  PRAGMA cache_size = -8000;
`;

const LOOK = 'PRAGMA trusted_schema = OFF';
// Read-only, and not to be opened: what SQLite says where it cannot make the files of the log.
const NO_LOG_FILES: readonly number[] = [8, 14];

/** A database with its statements prepared once. Rows are typed by whoever wrote the SQL. */
export class Connection {
  /** Whether it reads a database as it lies on the disk, without asking for a log. */
  readonly isFrozen: boolean;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(
    file: string | URL,
    settings: string = STORE_SETTINGS,
    busyMs: number = BUSY_TIMEOUT_MS,
    readOnly = false,
  ) {
    this.isFrozen = file instanceof URL;
    this.#database = new DatabaseSync(file, { timeout: busyMs, readOnly });
    this.#database.function('seal_of', { varargs: true, deterministic: true }, sealOf);
    try {
      this.#database.exec(settings);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /** For databases that serve as locks: nobody can even read them while another process holds them. */
  static bare(file: string, busyMs?: number): Connection {
    return new Connection(file, '', busyMs);
  }

  /** The same for a file that comes and goes: one that is gone is not made anew. */
  static ofFile(file: string): Connection {
    return new Connection(`${pathToFileURL(file)}?mode=rw`, '', 0);
  }

  /** For callers that try again themselves when another process is in the way. */
  static unwaiting(file: string): Connection {
    return new Connection(file, STORE_SETTINGS, 0);
  }

  /** For reading without changing anything, not even the log. */
  static toLook(file: string): Connection {
    return Connection.#readable(file, () => new Connection(file, LOOK, BUSY_TIMEOUT_MS, true));
  }

  /** The database of a store. Where it cannot be written to, it can still be read. */
  static ofStore(file: string): Connection {
    return Connection.#readable(file, () => new Connection(file));
  }

  /**
   * SQLite reads a database with a log only where it can make the files of the log, or finds them. Where it can
   * do neither and there is no log, nothing is missing from the database itself, and nobody writes to it here.
   */
  static #readable(file: string, open: () => Connection): Connection {
    let connection: Connection | null = null;
    try {
      connection = open();
      connection.get('PRAGMA application_id');
      return connection;
    } catch (error) {
      const { errcode = 0 } = error as { errcode?: number };
      const isFrozen = NO_LOG_FILES.includes(errcode & 0xff) && !fileSize(`${file}-wal`);
      // Anything else in the database is for the caller to find.
      if (!isFrozen && connection !== null) return connection;
      connection?.close();
      if (!isFrozen) throw error;
    }
    const url = new URL(`${pathToFileURL(file)}?immutable=1`);
    return new Connection(url, LOOK, BUSY_TIMEOUT_MS, true);
  }

  get<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#statement(sql).get(...values) as Row | undefined;
  }

  all<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#statement(sql).all(...values) as Row[];
  }

  /** The number of rows that were written. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#statement(sql).run(...values).changes);
  }

  /** The number of the row that an INSERT has made; null where it made none. */
  insert(sql: string, ...values: SQLInputValue[]): number | null {
    const { changes, lastInsertRowid } = this.#statement(sql).run(...values);
    return Number(changes) === 0 ? null : Number(lastInsertRowid);
  }

  /** For texts that are used once: several statements, settings, definitions. */
  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** Runs `work` in a transaction that writes: all of it is durable at the end, or nothing is. */
  immediate<Result>(work: () => Result): Result {
    this.run('BEGIN IMMEDIATE');
    return this.#committed(work);
  }

  /** As `immediate`, but throws SQLite's busy error at once where another process writes. */
  immediateOrBusy<Result>(work: () => Result): Result {
    this.exec('PRAGMA busy_timeout = 0');
    try {
      this.run('BEGIN IMMEDIATE');
    } finally {
      this.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
    return this.#committed(work);
  }

  /** Runs `work`, which only reads: all of it sees one state, and the log is asked for it once. */
  reading<Result>(work: () => Result): Result {
    this.run('BEGIN');
    try {
      return work();
    } finally {
      this.#rollback();
    }
  }

  /** Runs `work`, which may write, and takes back everything that it wrote. */
  trial<Result>(work: () => Result): Result {
    this.run('BEGIN IMMEDIATE');
    try {
      return work();
    } finally {
      this.#rollback();
    }
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    const made = this.#database.prepare(sql);
    this.#statements.set(sql, made);
    return made;
  }

  #committed<Result>(work: () => Result): Result {
    try {
      const result = work();
      this.run('COMMIT');
      return result;
    } catch (error) {
      this.#rollback();
      throw error;
    }
  }

  #rollback(): void {
    // A full disk makes SQLite roll back by itself.
    if (!this.#database.isTransaction) return;
    try {
      this.run('ROLLBACK');
    } catch {
      // The failure that brought us here is the one to report; a stuck transaction fails the next.
    }
  }
}

// Primary result codes of SQLite; the extended ones have them in their low byte.
const SQLITE_CODES: Readonly<Record<number, ErrorCode>> = {
  5: 'store-locked',
  6: 'store-locked',
  8: 'store-read-only',
  11: 'store-corrupt',
  13: 'store-full',
  19: 'argument-invalid',
  26: 'store-corrupt',
};
// The shared memory file could not grow, which happens when the disk is full.
const SQLITE_IOERR_SHMSIZE = 4874;

const FILE_CODES: Readonly<Record<string, ErrorCode>> = {
  ENOSPC: 'store-full',
  EDQUOT: 'store-full',
  EROFS: 'store-read-only',
};

const HINTS: Partial<Record<ErrorCode, string>> = {
  'store-locked': 'another process is writing; try again when it has finished',
  'store-read-only': 'nothing was written; commands that only look work all the same',
  'store-full': 'free some disk space; nothing of this was kept',
  'argument-invalid': 'the batch contradicts the timeline: a used number or an unknown session',
};

/** What a failure of SQLite or of the file system means to a caller. */
export function storeFailure(error: unknown): SavepointError {
  if (error instanceof SavepointError) return error;
  const code = codeOf(error);
  const reason = error instanceof Error ? error.message : String(error);
  const what = code === 'store-read-only' ? 'cannot be written to' : 'failed';
  return new SavepointError(code, `the store ${what}: ${reason}`, {
    cause: error,
    hint: HINTS[code],
  });
}

/** Whether somebody else holds the database. */
export function isBusy(error: unknown): boolean {
  return codeOf(error) === 'store-locked';
}

// No permission, busy, locked, no memory, read-only, interrupted, a failing disk, a full one, not to be opened.
const OUTSIDE: readonly number[] = [3, 5, 6, 7, 8, 9, 10, 13, 14, 22, 23];
// Where a file is shorter than it says.
const SQLITE_IOERR_SHORT_READ = 522;

/** Whether a failure says nothing of the store itself: the disk, rights or another process are in the way. */
export function isOutside(error: unknown): boolean {
  const { errcode, syscall } = (error ?? {}) as { errcode?: unknown; syscall?: unknown };
  if (typeof errcode !== 'number') return typeof syscall === 'string';
  return errcode !== SQLITE_IOERR_SHORT_READ && OUTSIDE.includes(errcode & 0xff);
}

/** Whether a row is against the rules of its table. */
export function isAgainstRules(error: unknown): boolean {
  const { errcode } = (error ?? {}) as { errcode?: unknown };
  return typeof errcode === 'number' && [19, 20].includes(errcode & 0xff);
}

/** Whether SQLite met JSON in a row that is not what was written. */
export function isMalformed(error: unknown): boolean {
  return String(error).includes('malformed JSON');
}

function codeOf(error: unknown): ErrorCode {
  if (error instanceof SavepointError) return error.code;
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  if (errcode === SQLITE_IOERR_SHMSIZE) return 'store-full';
  if (isMalformed(error)) return 'store-corrupt';
  if (typeof errcode === 'number') return SQLITE_CODES[errcode & 0xff] ?? 'store-failed';
  // What node:sqlite says to a value that no column can hold, such as undefined.
  if (code === 'ERR_INVALID_ARG_TYPE') return 'argument-invalid';
  return (typeof code === 'string' ? FILE_CODES[code] : undefined) ?? 'store-failed';
}

/**
 * A list of any length as one parameter: JSON with hexadecimal digits, because ids may hold NUL and
 * paths are bytes that need not be text.
 */
export function hexList(values: readonly (string | Uint8Array)[]): string {
  return JSON.stringify(values.map((value) => Buffer.from(value as Uint8Array).toString('hex')));
}

export const LISTED_TEXTS = '(SELECT CAST(unhex(value) AS TEXT) FROM json_each(?))';
export const LISTED_BYTES = '(SELECT unhex(value) FROM json_each(?))';
export const LISTED_NUMBERS = '(SELECT value FROM json_each(?))';

/** With the value of `limitOf`. A sum: SQLite would plan the query anew for each value that is bound to a bare "?". */
export const LIMIT = 'LIMIT ? + 0';

/** For LIMIT, where -1 means all. */
export function limitOf(limit: number | undefined): number {
  return limit === undefined || limit === Number.POSITIVE_INFINITY ? -1 : Math.max(0, limit);
}

/** The conditions of a query. A condition whose value is undefined is left out. */
export class Conditions {
  readonly #texts: string[] = [];
  readonly values: SQLInputValue[] = [];
  #led = false;

  add(text: string, value: SQLInputValue | undefined): void {
    if (value === undefined) return;
    this.#texts.push(text);
    this.values.push(value);
  }

  /** The column is one of these texts. A single one needs no list, which would take a capture longer. */
  among(column: string, texts: readonly string[] | undefined): void {
    const [only] = texts ?? [];
    if (texts?.length === 1) this.narrow(column, '= ?', only);
    else this.narrow(column, `IN ${LISTED_TEXTS}`, texts && hexList(texts));
  }

  /** A condition without a value, for which SQLite is to use the index. */
  lead(text: string): void {
    this.#texts.push(text);
    this.#led = true;
  }

  /**
   * A condition that has an index. Call it for the narrowest one first: SQLite uses that index. A "+" keeps it
   * from using the others, because it would look up every pair of two long lists where an index has both.
   */
  narrow(column: string, test: string, value: SQLInputValue | undefined): void {
    if (value === undefined) return;
    this.add(`${this.#led ? '+' : ''}${column} ${test}`, value);
    this.#led = true;
  }

  get sql(): string {
    return this.#texts.length === 0 ? '' : `WHERE ${this.#texts.join(' AND ')}`;
  }
}

/** Throws `store-corrupt` for JSON that cannot be what was written. */
export function parseStored(text: unknown): unknown {
  try {
    return JSON.parse(text as string);
  } catch (cause) {
    const hint = 'savepoint fsck says what is damaged';
    throw new SavepointError('store-corrupt', 'a row of the store is damaged', { hint, cause });
  }
}
