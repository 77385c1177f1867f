import type { Client, default as Pg, Pool, PoolClient, QueryResultRow } from 'pg';
import { SavepointError } from '../../model/errors.ts';
import { clientConfig, loadPg, poolConfig } from './connect.ts';
import { isUnreachable } from './failure.ts';
import type { PostgresOptions } from './options.ts';

/** What runs statements: the pool, or the connection of a transaction. Rows are typed by whoever wrote the SQL. */
export interface Session {
  query<Row extends QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** A session in which statements can write. */
export interface Writing extends Session {
  /** The number of rows that were written. */
  run(sql: string, values?: readonly unknown[]): Promise<number>;
}

/** A connection of its own, with what the types of `pg` leave out. */
export interface LoneClient extends Client {
  /** The number of the server's process that serves it. */
  readonly processID: number;
  /** Whether it keeps the process alive. */
  ref(): void;
  unref(): void;
}

export interface TransactionOptions {
  /** Statements without parameters that come right after BEGIN, in the same message. */
  readonly first?: string;
  /** Everything that it wrote is taken back. */
  readonly isTrial?: true;
}

/** The connections to one server. A connection that fails is dropped, and the next call makes another. */
export class Database implements Session {
  readonly #pg: typeof Pg;
  readonly #options: PostgresOptions;
  readonly #pool: Pool;

  constructor(pg: typeof Pg, options: PostgresOptions) {
    this.#pg = pg;
    this.#options = options;
    this.#pool = new pg.Pool(poolConfig(pg, options));
    // An idle connection that the server ends is no failure of anybody's: the pool drops it.
    this.#pool.on('error', () => {});
  }

  static async open(options: PostgresOptions): Promise<Database> {
    return new Database(await loadPg(), options);
  }

  /** One statement that reads. Where the connection turns out to be dead, another one is asked once. */
  async query<Row extends QueryResultRow>(
    sql: string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    const ask = async (): Promise<Row[]> => (await this.#pool.query<Row>(sql, [...values])).rows;
    try {
      return await ask();
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      return ask();
    }
  }

  /** Runs `work` in a transaction: all of it is durable at the end, or nothing is. */
  async transaction<Result>(
    work: (session: Writing) => Promise<Result>,
    { first = '', isTrial }: TransactionOptions = {},
  ): Promise<Result> {
    const client = await this.#begun(`BEGIN; ${first}`);
    let isBroken = false;
    try {
      const result = await work(writingOn(client));
      await end(client, isTrial ? 'ROLLBACK' : 'COMMIT');
      return result;
    } catch (error) {
      isBroken = isUnreachable(error) || !(await isRolledBack(client));
      throw error;
    } finally {
      client.release(isBroken);
    }
  }

  /** Nothing was done on a connection that does not even begin: another one is asked once. */
  async #begun(sql: string): Promise<PoolClient> {
    for (let tries = 0; ; tries += 1) {
      const client = await this.#pool.connect();
      // While it is in use, its failure shows in the statement that fails.
      if (client.listenerCount('error') === 0) client.on('error', () => {});
      try {
        await client.query(sql);
        return client;
      } catch (error) {
        client.release(true);
        if (!isUnreachable(error) || tries > 0) throw error;
      }
    }
  }

  /** A connection beside the pool, for who needs one for itself. */
  async connect(): Promise<LoneClient> {
    const client = new this.#pg.Client(clientConfig(this.#pg, this.#options)) as LoneClient;
    client.on('error', () => {});
    await client.connect();
    return client;
  }

  close(): Promise<void> {
    return this.#pool.end();
  }
}

function writingOn(client: PoolClient): Writing {
  return {
    query: async (sql, values = []) => (await client.query(sql, [...values])).rows,
    run: async (sql, values = []) => (await client.query(sql, [...values])).rowCount ?? 0,
  };
}

/** Where the answer to COMMIT is lost, nobody can tell: the caller has to look. */
async function end(client: PoolClient, how: 'COMMIT' | 'ROLLBACK'): Promise<void> {
  try {
    await client.query(how);
  } catch (error) {
    if (how === 'ROLLBACK' || !isUnreachable(error)) throw error;
    throw new UncertainCommit();
  }
}

/** The server went away while it was committing. */
export class UncertainCommit extends SavepointError {
  constructor() {
    const message = 'the database server went away while it was recording this';
    const hint = 'it is on record as a whole, or not at all; look before you do it again';
    super('store-unreachable', message, { hint });
  }
}

async function isRolledBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query('ROLLBACK');
    return true;
  } catch {
    return false;
  }
}
