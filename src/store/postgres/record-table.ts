import { SavepointError } from '../../model/errors.ts';
import type { BlobId } from '../../model/ids.ts';
import { bytesToPath, pathToBytes } from '../../model/path.ts';
import type { State } from '../../model/state.ts';
import { sealOf } from '../seal.ts';
import { bytesToHash, hashToBytes, modeOf, stateIn } from '../state-columns.ts';
import { columnOf, type FieldShape, type Table } from '../tables.ts';
import type { Scope, Writing } from './database.ts';

type Row = Readonly<Record<string, unknown>>;
type Value = string | number | boolean | Uint8Array | null;

// A statement has a bounded size, whatever a batch brings.
const MOST_ROWS = 2_000;

/**
 * A table that holds a row for each record of each worktree, made from the table's description. Texts that callers
 * choose are bytes: PostgreSQL has no text with NUL in it, and bytes have one order on every server.
 */
export class RecordTable<Entry extends object> {
  readonly name: string;
  /** Its key columns, after `worktree`. */
  readonly keys: readonly string[];
  readonly #columns: readonly Column[];
  readonly #fields: readonly (readonly [name: string, codec: Codec])[];
  readonly #keyFields: readonly string[];
  readonly #put: string;
  readonly #select: string;

  constructor(table: Table<Entry>) {
    this.name = table.name;
    this.#keyFields = table.key;
    this.#fields = Object.entries<FieldShape>(table.fields).map(([name, field]) => [
      name,
      codecOf(columnOf(name, field), field),
    ]);
    this.#columns = this.#fields.flatMap(([, codec]) => codec.columns);
    this.keys = this.#fields
      .filter(([name]) => this.#keyFields.includes(name))
      .flatMap(([, codec]) => codec.columns.map(({ name }) => name));
    const names = [...this.#columns.map(({ name }) => name), 'seal'];
    const types = [...this.#columns.map(({ type }) => type), 'integer'];
    const lists = types.map((type, at) => `$${at + 2}::${type}[]`).join(', ');
    const others = names.filter((name) => !this.keys.includes(name));
    const set = others.map((name) => `${name} = excluded.${name}`).join(', ');
    this.#put = `
      INSERT INTO ${this.name} (worktree, ${names.join(', ')}) SELECT $1, * FROM unnest(${lists})
      ON CONFLICT (worktree, ${this.keys.join(', ')}) DO UPDATE SET ${set}`;
    this.#select = `SELECT ${names.join(', ')} FROM ${this.name} WHERE worktree = $1`;
  }

  /** The columns for CREATE TABLE; the key is that of the worktree and the record. */
  definition(): string {
    const columns = this.#columns.map(
      ({ name, type, isRequired }) => `${name} ${type}${isRequired ? ' NOT NULL' : ''}`,
    );
    const key = `PRIMARY KEY (worktree, ${this.keys.join(', ')})`;
    return [WORKTREE, ...columns, 'seal integer NOT NULL', key].join(',\n    ');
  }

  /** Inserts records, each in the place of the one with its key. Of several with one key the last counts. */
  async put({ session, worktree }: Scope<Writing>, entries: readonly Entry[]): Promise<void> {
    const last = [...new Map(entries.map((entry) => [this.#keyOf(entry), entry])).values()];
    for (let at = 0; at < last.length; at += MOST_ROWS) {
      const rows = last.slice(at, at + MOST_ROWS).map((entry) => this.#values(entry));
      const columns = [...this.#columns.keys()].map((column) => rows.map((row) => row[column]));
      session.send(this.#put, [worktree, ...columns, rows.map(seal)]);
    }
  }

  /** `rest` continues the condition `worktree = $1`; `values` are $2 and so on. */
  async list(scope: Scope, rest: string, ...values: readonly unknown[]): Promise<Entry[]> {
    return (await this.#rows(scope, rest, values)).map((row) => this.#entry(row));
  }

  /** Changes fields of the records that `rest` selects, and answers with them as they were. */
  async rewrite(
    scope: Scope<Writing>,
    rest: string,
    value: unknown,
    changed: (entry: Entry) => Partial<Entry>,
  ): Promise<Entry[]> {
    const entries = await this.list(scope, rest, value);
    const put = entries.map((entry) => ({ ...entry, ...changed(entry) }));
    await this.put(scope, put);
    return entries;
  }

  /** How many rows, of those that `rest` selects, are not what was written. */
  async brokenSeals(scope: Scope, rest: string, ...values: readonly unknown[]): Promise<number> {
    const rows = await this.#rows(scope, rest, values);
    const sealed = (row: Row): Value[] => this.#columns.map(({ name }) => row[name] as Value);
    return rows.filter((row) => seal(sealed(row)) !== row.seal).length;
  }

  #rows({ session, worktree }: Scope, rest: string, values: readonly unknown[]): Promise<Row[]> {
    return session.query<Row>(`${this.#select} ${rest}`, [worktree, ...values]);
  }

  #keyOf(entry: Entry): string {
    return JSON.stringify(this.#keyFields.map((name) => (entry as Row)[name]));
  }

  #values(entry: Entry): Value[] {
    const values: Value[] = [];
    for (const [name, codec] of this.#fields) codec.write((entry as Row)[name], values);
    return values;
  }

  #entry(row: Row): Entry {
    const entry: Record<string, unknown> = {};
    for (const [name, codec] of this.#fields) entry[name] = codec.read(row);
    return entry as Entry;
  }
}

export const PROJECT = 'project integer NOT NULL REFERENCES projects(id) ON DELETE CASCADE';
export const WORKTREE = 'worktree integer NOT NULL REFERENCES worktrees(id) ON DELETE CASCADE';

function seal(values: readonly Value[]): number {
  return sealOf(...values.map((value) => (typeof value === 'boolean' ? Number(value) : value)));
}

interface Column {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
}

/** How a field lies in the columns of a row. */
interface Codec {
  readonly columns: readonly Column[];
  write(value: unknown, into: Value[]): void;
  read(row: Row): unknown;
}

function codecOf(column: string, field: FieldShape): Codec {
  const isRequired = field.isNullable !== true;
  const coded = (
    type: string,
    written: (value: never) => Value,
    read: (value: never) => unknown,
  ): Codec => ({
    columns: [{ name: column, type, isRequired }],
    write: (value, into) => into.push(value === null ? null : written(value as never)),
    read: (row) => (row[column] === null ? null : read(row[column] as never)),
  });
  const same = (value: never): never => value;
  switch (field.kind) {
    case 'seq':
    case 'count':
    case 'time':
      return coded('bigint', same, same);
    case 'boolean':
      return coded('boolean', same, same);
    case 'word':
      return coded('text', (value) => wordOf(field.words ?? [], value), same);
    case 'json':
      return coded('text', (value) => JSON.stringify(value), parseStored);
    case 'path':
      return coded('bytea', pathToBytes, bytesToPath);
    case 'state':
      return stateColumns(column === '' ? '' : `${column}_`, isRequired);
    case 'part':
      return coded('bytea', (value) => Buffer.from(value, 'hex'), bytesToHash);
    default:
      return coded('bytea', textToBytes, bytesToText);
  }
}

/** A word that is in no list is refused, as a table of SQLite does. */
function wordOf(words: readonly string[], value: string): string {
  if (words.includes(value)) return value;
  throw new SavepointError('argument-invalid', 'a row holds a word that its table does not know');
}

/** A state is a number, and for a file the hash and the size of its bytes. */
function stateColumns(prefix: string, isRequired: boolean): Codec {
  const [mode, blob, size] = [`${prefix}mode`, `${prefix}blob`, `${prefix}size`];
  return {
    columns: [
      { name: mode, type: 'integer', isRequired },
      { name: blob, type: 'bytea', isRequired: false },
      { name: size, type: 'bigint', isRequired: false },
    ],
    write: (value, into) => {
      const state = value as State | null;
      if (state === null) into.push(null, null, null);
      else if (state.kind !== 'captured' || state.blob === null)
        into.push(modeOf(state), null, null);
      else into.push(modeOf(state), hashToBytes(state.blob as BlobId), state.size);
    },
    read: (row) => stateIn(row, mode, blob, size),
  };
}

export function textToBytes(text: string): Uint8Array {
  return Buffer.from(text);
}

export function bytesToText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
}

/** Throws `store-corrupt` for JSON that cannot be what was written. */
export function parseStored(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SavepointError('store-corrupt', 'a row of the store is damaged', { cause });
  }
}
