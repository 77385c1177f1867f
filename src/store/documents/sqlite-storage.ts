import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder } from '../../fs/write-file.ts';
import { valueToJson } from '../../model/value/index.ts';
import { LockQueue } from '../lock-queue.ts';
import { Connection, storeFailure } from '../sqlite/connection.ts';
import { makeEmptyFile } from '../sqlite/layout.ts';
import { whenFree } from '../sqlite/lock.ts';
import {
  type BaseStorage,
  checkData,
  checkText,
  documentCorrupt,
  documentExists,
  LOCK_TIMEOUT_MS,
  type SaveOptions,
} from './base-storage.ts';
import { valueIn } from './json/document-files.ts';
import type { StorageOptions } from './json/json-storage.ts';
import {
  type ProjectPlace,
  placeOfProject,
  refuseLink,
  typed,
  walkDown,
} from './project-folder.ts';

const TABLE = `
  CREATE TABLE IF NOT EXISTS persistence (
    category TEXT NOT NULL,
    key TEXT NOT NULL,
    data TEXT NOT NULL,
    created_at TEXT DEFAULT CURRENT_TIMESTAMP,
    PRIMARY KEY (category, key)
  )`;
const HAS_TABLE = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'persistence'";
const INSERT = 'INSERT INTO persistence (category, key, data) VALUES (?, ?, ?)';
const SAVE = `${INSERT} ON CONFLICT (category, key) DO UPDATE SET data = excluded.data`;
const SAVE_NEW = `${INSERT} ON CONFLICT (category, key) DO NOTHING`;

/**
 * Documents as rows for people to read: JSON in the table `persistence` of
 * `{baseDir}/projects/{projectName}/persistence.db`. Any program may open the database; it is open here
 * only while a row is read or written.
 */
export class SQLiteStorage implements BaseStorage {
  readonly dbPath: string;
  readonly #place: ProjectPlace;
  readonly #lockTimeoutMs: number;
  /** Saves and deletes run in the order of the calls. */
  readonly #turns = new LockQueue('the turn of a document');

  /** For `baseDir` see `JSONStorage`. */
  constructor(projectName: string, baseDir?: string, options: StorageOptions = {}) {
    this.#place = placeOfProject(projectName, baseDir);
    this.dbPath = join(this.#place.baseDir, ...this.#place.names, 'persistence.db');
    this.#lockTimeoutMs = options.lockTimeoutMs ?? LOCK_TIMEOUT_MS;
  }

  async save(
    category: string,
    key: string,
    data: unknown,
    { onlyNew = false }: SaveOptions = {},
  ): Promise<string> {
    const name = [written('category', category), written('key', key)] as const;
    checkData(data);
    // Written down before anything is waited for: the caller may go on changing the value.
    const text = JSON.stringify(valueToJson(data, 'data'));
    const rows = await this.#writing((connection) =>
      connection.run(onlyNew ? SAVE_NEW : SAVE, ...name, text),
    );
    if (rows === 0) throw documentExists(category, key);
    return this.#placeOf(category, key);
  }

  async load(category: string, key: string): Promise<unknown> {
    const name = [written('category', category), written('key', key)] as const;
    const sql = 'SELECT data FROM persistence WHERE category = ? AND key = ?';
    const row = await this.#reading((connection) =>
      connection.get<{ data: unknown }>(sql, ...name),
    );
    if (!row) return null;
    const path = this.#placeOf(category, key);
    return valueIn(parsed(row.data, path), path);
  }

  async delete(category: string, key: string): Promise<boolean> {
    const name = [written('category', category), written('key', key)] as const;
    const sql = 'DELETE FROM persistence WHERE category = ? AND key = ?';
    return this.#turns.inTurn(this.#lockTimeoutMs, async (timeoutMs) => {
      // Nothing is made where there is nothing to remove.
      if (!existsSync(this.dbPath)) return false;
      return (await this.#write(timeoutMs, (connection) => connection.run(sql, ...name))) > 0;
    });
  }

  async list(category: string): Promise<string[]> {
    const name = written('category', category);
    const sql = 'SELECT key FROM persistence WHERE category = ?';
    const rows = await this.#reading((connection) => connection.all<{ key: string }>(sql, name));
    return rows?.map(({ key }) => read(key)) ?? [];
  }

  /** Runs `work` on the database; null where there is none, or nothing was ever saved in it. */
  #reading<Result>(work: (connection: Connection) => Result): Promise<Result | null> {
    const attempt = (): Result | null => {
      if (!existsSync(this.dbPath)) return null;
      refuseLink(this.dbPath);
      return opened(this.dbPath, (connection) =>
        connection.get(HAS_TABLE) === undefined ? null : work(connection),
      );
    };
    return this.#whenFree(this.#lockTimeoutMs, attempt);
  }

  #writing<Result>(work: (connection: Connection) => Result): Promise<Result> {
    return this.#turns.inTurn(this.#lockTimeoutMs, (timeoutMs) => this.#write(timeoutMs, work));
  }

  async #write<Result>(
    timeoutMs: number,
    work: (connection: Connection) => Result,
  ): Promise<Result> {
    typed(() => this.#make());
    return this.#whenFree(timeoutMs, () =>
      opened(this.dbPath, (connection) =>
        connection.immediate(() => {
          connection.run(TABLE);
          return work(connection);
        }),
      ),
    );
  }

  #make(): void {
    const { baseDir, names } = this.#place;
    makePrivateFolder(baseDir);
    walkDown(baseDir, names, 'make')?.close();
    refuseLink(this.dbPath);
    makeEmptyFile(this.dbPath);
  }

  async #whenFree<Result>(timeoutMs: number, attempt: () => Result): Promise<Result> {
    try {
      return await whenFree(attempt, { wanted: this.dbPath, timeoutMs });
    } catch (error) {
      throw storeFailure(error);
    }
  }

  /** For people; a category and a key can read the same in another way. */
  #placeOf(category: string, key: string): string {
    return `${this.dbPath}:${category}/${key}`;
  }
}

function opened<Result>(file: string, work: (connection: Connection) => Result): Result {
  const connection = Connection.unwaiting(file);
  try {
    return work(connection);
  } finally {
    connection.close();
  }
}

/**
 * A name as its column has it: itself, so that other programs find it. A text that SQLite cannot give back
 * (NUL, half a surrogate pair) is a JSON string, and so is one that begins like a JSON string.
 */
function written(what: string, name: string): string {
  const text = checkText(what, name);
  return text.startsWith('"') || text.includes('\0') || !text.isWellFormed()
    ? JSON.stringify(text)
    : text;
}

function read(name: string): string {
  if (!name.startsWith('"')) return name;
  try {
    return JSON.parse(name);
  } catch {
    return name;
  }
}

function parsed(data: unknown, path: string): unknown {
  try {
    return JSON.parse(data as string);
  } catch (error) {
    throw documentCorrupt(path, 'it is not JSON', error);
  }
}
