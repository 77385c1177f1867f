import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { sealOf } from './seals.ts';

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

/** A database with its statements prepared once. Rows are typed by whoever wrote the SQL. */
export class Connection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(
    file: string,
    settings: string = STORE_SETTINGS,
    busyMs: number = BUSY_TIMEOUT_MS,
    readOnly = false,
  ) {
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

  /** For callers that try again themselves when another process is in the way. */
  static unwaiting(file: string): Connection {
    return new Connection(file, STORE_SETTINGS, 0);
  }

  /** For reading without changing anything, not even the log. */
  static toLook(file: string): Connection {
    return new Connection(file, 'PRAGMA trusted_schema = OFF', BUSY_TIMEOUT_MS, true);
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
