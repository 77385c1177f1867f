import type {
  Client,
  ClientBase,
  default as Pg,
  Pool,
  PoolClient,
  QueryConfig,
  QueryResultRow,
} from 'pg';
import { SavepointError } from '../../model/errors.ts';
import { clientConfig, loadPg, NOTICE_LOST_CLIENT, poolConfig } from './connect.ts';
import { isRefused, isUnreachable } from './failure.ts';
import type { PostgresOptions } from './options.ts';

/** A statement that is planned once for each connection: the server knows it by its name from then on. */
export interface Prepared {
  /** No other statement may have it. */
  readonly name: string;
  readonly text: string;
}

type Sql = string | Prepared;

/** What runs statements: the pool, or the connection of a transaction. Rows are typed by whoever wrote the SQL. */
export interface Session {
  query<Row extends QueryResultRow>(sql: Sql, values?: readonly unknown[]): Promise<Row[]>;
}

/** A session in which statements can write. */
export interface Writing extends Session {
  /** The number of rows that were written. */
  run(sql: Sql, values?: readonly unknown[]): Promise<number>;
  /** Sends a statement that nobody needs the answer of. If it fails, the end of the transaction says so. */
  send(sql: Sql, values?: readonly unknown[]): void;
  /** Nothing that the transaction has written, or will write, stays. */
  takeBack(): void;
}

/** The rows of one worktree, as a session reaches them. */
export interface Scope<Of extends Session = Session> {
  readonly session: Of;
  readonly worktree: number;
}

/** A connection of its own, with what the types of `pg` leave out. */
export interface LoneClient extends Client {
  /** The number of the server's process that serves it. */
  readonly processID: number;
  /** Whether it keeps the process alive. */
  ref(): void;
  unref(): void;
}

/** A project on a server. Contents and documents belong to it. */
export interface OpenedProject {
  readonly database: Database;
  readonly schema: string;
  /** The number of the project in the tables of contents and documents. */
  readonly project: number;
}

/** What the parts of an open store work with. */
export interface Opened extends OpenedProject {
  /** The number of the worktree in the tables of its timeline. */
  readonly worktree: number;
  /** The token of the project lock, while this store holds it. */
  readonly fence: () => number | null;
}

/** Runs work on an open store: closed stores refuse, and every failure comes out as an error of ours. */
export type Run<Place = Opened> = <Result>(
  work: (opened: Place) => Promise<Result>,
) => Promise<Result>;

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
    this.#pool.on('connect', noticeLostClient);
  }

  static async open(options: PostgresOptions): Promise<Database> {
    return new Database(await loadPg(), options);
  }

  /** One statement that reads. Where the connection turns out to be dead, another one is asked once. */
  async query<Row extends QueryResultRow>(
    sql: Sql,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    const ask = async (): Promise<Row[]> => (await this.#pool.query<Row>(bound(sql, values))).rows;
    // Only a connection from before can have died unnoticed. A server that cannot be reached is not asked twice.
    const isFresh = this.#pool.idleCount === 0;
    try {
      return await ask();
    } catch (error) {
      if (isFresh || !isUnreachable(error)) throw error;
      return ask();
    }
  }

  /** Runs `work` in a transaction: all of it is durable at the end, or nothing is. */
  transaction<Result>(work: (session: Writing) => Promise<Result>): Promise<Result> {
    return this.transactionAfter('', work);
  }

  /** As `transaction`. `first` are statements without parameters, which go in one message with BEGIN. */
  async transactionAfter<Result>(
    first: string,
    work: (session: Writing) => Promise<Result>,
  ): Promise<Result> {
    const client = await this.#begun(`BEGIN; ${first}`);
    const session = new Transaction(client);
    let isBroken = false;
    try {
      const result = await work(session);
      await session.end();
      return result;
    } catch (error) {
      const cause = await session.causeOf(error);
      isBroken = isUnreachable(cause) || !(await isRolledBack(client));
      throw cause;
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
    noticeLostClient(client);
    return client;
  }

  /** How long to wait for an answer that may take `ms` by itself; undefined for as long as it takes. */
  patience(ms: number): number | undefined {
    const { queryTimeoutMs } = this.#options;
    return queryTimeoutMs === undefined ? undefined : ms + queryTimeoutMs;
  }

  close(): Promise<void> {
    return this.#pool.end();
  }
}

/** Nobody waits for the answer: on a connection that fails, the next statement says so. */
function noticeLostClient(client: ClientBase): void {
  client.query(NOTICE_LOST_CLIENT).catch(() => {});
}

const GOODBYE_MS = 1_000;

/** Ends a connection of its own. A server that hangs does not answer the goodbye, so it is not waited for long. */
export async function endClient(client: LoneClient): Promise<void> {
  const waited = new Promise<void>((resolve) => {
    setTimeout(resolve, GOODBYE_MS).unref();
  });
  client.ref();
  await Promise.race([client.end().catch(() => {}), waited]);
  client.connection.stream.destroy();
}

/**
 * The connection of a transaction. Statements go out at once, one behind the other, and are answered in this order:
 * the server refuses everything after one that failed, the COMMIT as well.
 */
class Transaction implements Writing {
  readonly #client: PoolClient;
  readonly #sent: Promise<unknown>[] = [];
  #how: 'COMMIT' | 'ROLLBACK' = 'COMMIT';

  constructor(client: PoolClient) {
    this.#client = client;
  }

  async query<Row extends QueryResultRow>(
    sql: Sql,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    return (await this.#client.query<Row>(bound(sql, values))).rows;
  }

  async run(sql: Sql, values: readonly unknown[] = []): Promise<number> {
    return (await this.#client.query(bound(sql, values))).rowCount ?? 0;
  }

  send(sql: Sql, values: readonly unknown[] = []): void {
    const answer = this.#client.query(bound(sql, values));
    answer.catch(() => {});
    this.#sent.push(answer);
  }

  takeBack(): void {
    this.#how = 'ROLLBACK';
  }

  /** Where the answer to COMMIT is lost, nobody can tell: the caller has to look. */
  async end(): Promise<void> {
    const how = this.#how;
    const [ended] = await Promise.allSettled([this.#client.query(how)]);
    const refused = await this.#refused();
    if (refused !== null) throw refused;
    if (ended?.status !== 'rejected') {
      // So the server answers where a statement has failed before, also if nobody cares for that failure.
      if (ended?.value.command === how) return;
      const message = 'the database has taken a transaction back instead of committing it';
      throw new SavepointError('store-failed', message, { hint: 'nothing of it is on record' });
    }
    throw how === 'COMMIT' && isUnreachable(ended.reason) ? new UncertainCommit() : ended.reason;
  }

  /** What went wrong first, where a later statement failed for that reason. */
  async causeOf(error: unknown): Promise<unknown> {
    return isRefused(error, 'aborted') ? ((await this.#refused()) ?? error) : error;
  }

  /** The first failure of a statement that was sent, if the server itself has refused it. */
  async #refused(): Promise<unknown> {
    const failed = (await Promise.allSettled(this.#sent)).find(
      (answer) => answer.status === 'rejected' && !isUnreachable(answer.reason),
    );
    return failed?.status === 'rejected' ? failed.reason : null;
  }
}

function bound(sql: Sql, values: readonly unknown[]): QueryConfig {
  const statement = typeof sql === 'string' ? { text: sql } : sql;
  return { ...statement, values: [...values] };
}

/** The places of so many rows for VALUES, each of the first parameter and four of its own. */
export function fourEach(rows: number): string {
  const places = (row: number): string => [2, 3, 4, 5].map((n) => `$${row * 4 + n}`).join(', ');
  return Array.from({ length: rows }, (_, row) => `($1, ${places(row)})`).join(', ');
}

/** Waits for all of them, also where one fails: nothing may be sent once its transaction is over. */
export async function together<Results extends readonly unknown[]>(
  ...work: { readonly [At in keyof Results]: Promise<Results[At]> }
): Promise<Results> {
  await Promise.allSettled(work);
  return Promise.all(work) as unknown as Promise<Results>;
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
