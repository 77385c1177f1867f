import { execFileSync } from 'node:child_process';
import type { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** What is measured of LangGraph's savers. */
export interface Saver {
  put(
    config: SaverConfig,
    checkpoint: object,
    metadata: object,
    newVersions?: Readonly<Record<string, number>>,
  ): Promise<SaverConfig>;
  getTuple(config: SaverConfig): Promise<{ checkpoint: SavedCheckpoint } | undefined>;
}

export interface SaverConfig {
  readonly configurable: {
    readonly thread_id: string;
    readonly checkpoint_ns: string;
    readonly checkpoint_id?: string;
  };
}

export interface SavedCheckpoint {
  readonly channel_values: Readonly<Record<string, unknown>>;
}

/** What it is called in the table. */
export const SAVER = "LangGraph's SqliteSaver (over node:sqlite), `synchronous=FULL` on both sides";
export const POSTGRES_SAVER = "LangGraph's PostgresSaver on the same server";

const FOLDER = fileURLToPath(new URL('./langgraph/', import.meta.url));
const SQLITE = '@langchain/langgraph-checkpoint-sqlite';
const POSTGRES = '@langchain/langgraph-checkpoint-postgres';

/**
 * LangGraph's saver on a file. It is written for better-sqlite3, whose native part is not built here; it gets
 * the same interface over the SQLite that Savepoint uses as well, so that both run on one engine.
 */
export async function openSaver(file: string): Promise<{ saver: Saver; close: () => void }> {
  const { SqliteSaver } = (await import(installed(SQLITE))) as {
    SqliteSaver: new (database: BetterSqlite) => Saver;
  };
  const database = new BetterSqlite(file);
  return { saver: new SqliteSaver(database), close: () => database.close() };
}

/** LangGraph's saver on a server, with its tables in `public`. */
export async function openPostgresSaver(
  url: string,
): Promise<{ saver: Saver; close: () => Promise<void> }> {
  const { PostgresSaver } = (await import(installed(POSTGRES))) as {
    PostgresSaver: { fromConnString(url: string): Saver & Setup };
  };
  const saver = PostgresSaver.fromConnString(url);
  // Its pool says that it is closed before the last connection is: a server that ends then must not end us.
  saver.pool.on('error', () => {});
  await saver.setup();
  return { saver, close: () => saver.end() };
}

interface Setup {
  readonly pool: EventEmitter;
  setup(): Promise<void>;
  end(): Promise<void>;
}

/** Only who measures needs it, and nobody its install scripts: so it is no part of `npm install`. */
function installed(name: string): string {
  if (!existsSync(join(FOLDER, 'node_modules', name))) {
    const words = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
    execFileSync('npm', words, { cwd: FOLDER, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  return pathToFileURL(createRequire(join(FOLDER, 'package.json')).resolve(name)).href;
}

/** A checkpoint as LangGraph makes one, of the given state. */
export function checkpointOf(step: number, state: object): object {
  return {
    v: 4,
    // Ids sort by time, as theirs do.
    id: idOf(step),
    ts: new Date(step).toISOString(),
    channel_values: { state },
    channel_versions: { state: step },
    versions_seen: {},
  };
}

export function idOf(step: number): string {
  return `1ef00000-0000-6000-8000-${String(step).padStart(12, '0')}`;
}

/** better-sqlite3's interface, as far as the saver uses it, over node:sqlite. */
class BetterSqlite {
  readonly #database: DatabaseSync;

  constructor(file: string) {
    this.#database = new DatabaseSync(file);
    // As Savepoint has it: a step that is saved survives a power cut.
    this.#database.exec('PRAGMA synchronous = FULL');
  }

  pragma(text: string): unknown {
    return this.#database.prepare(`PRAGMA ${text}`).all();
  }

  exec(sql: string): this {
    this.#database.exec(sql);
    return this;
  }

  prepare(sql: string): object {
    const statement = this.#database.prepare(sql);
    const bound = (values: readonly unknown[]) => values.map(asInput);
    return {
      run: (...values: unknown[]) => statement.run(...bound(values)),
      get: (...values: unknown[]) => statement.get(...bound(values)),
      all: (...values: unknown[]) => statement.all(...bound(values)),
      iterate: (...values: unknown[]) => statement.iterate(...bound(values)),
    };
  }

  transaction<Rows>(work: (rows: Rows) => void): (rows: Rows) => void {
    return (rows) => {
      this.#database.exec('BEGIN');
      try {
        work(rows);
        this.#database.exec('COMMIT');
      } catch (error) {
        this.#database.exec('ROLLBACK');
        throw error;
      }
    };
  }

  close(): void {
    this.#database.close();
  }
}

/** better-sqlite3 takes undefined for null. */
function asInput(value: unknown): SQLInputValue {
  return (value ?? null) as SQLInputValue;
}
