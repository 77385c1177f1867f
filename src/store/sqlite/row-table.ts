import type { SQLInputValue } from 'node:sqlite';
import type { PartId } from '../../model/ids.ts';
import { bytesToPath, pathToBytes, type TrackedPath } from '../../model/path.ts';
import type { State } from '../../model/state.ts';
import { bytesToHash, modeOf, stateIn } from '../state-columns.ts';
import { columnOf, type FieldShape, type Table } from '../tables.ts';
import { type Connection, parseStored } from './connection.ts';
import type { Numbers } from './numbers.ts';

type Row = Readonly<Record<string, unknown>>;

export interface RowTableOptions<Entry> {
  /** Fields that rows hold as a number, to be small: of a path's head, of a session, of a word in its list. */
  readonly asNumbers?: readonly (keyof Entry & string)[];
}

/** A table that holds a row for each record, made from the table's description. */
export class RowTable<Entry extends object> {
  readonly name: string;
  /** In the order in which rows have them and seals cover them. */
  readonly columnNames: readonly string[];
  readonly #columns: readonly Column[];
  readonly #fields: readonly (readonly [name: string, codec: Codec])[];
  readonly #insert: string;
  readonly #upsert: string;
  readonly #update: string;
  readonly #select: string;
  readonly #where: string;

  constructor(table: Table<Entry>, { asNumbers = [] }: RowTableOptions<Entry> = {}) {
    this.name = table.name;
    const fields = Object.entries<FieldShape>(table.fields);
    this.#fields = fields.map(([name, field]) => {
      const isNumber = (asNumbers as readonly string[]).includes(name);
      return [name, codecOf(table.name, columnOf(name, field), field, isNumber)];
    });
    const codecs = this.#fields.map(([, codec]) => codec);
    this.#columns = codecs.flatMap(({ columns }) => columns);
    const names = this.#columns.map(({ name }) => name);
    this.columnNames = names;
    const places = names.map((_, at) => `?${at + 1}`).join(', ');
    this.#insert = `
      INSERT INTO ${table.name} (${names.join(', ')}, seal) VALUES (${places}, seal_of(${places}))`;
    const keys = this.#fields
      .filter(([name]) => (table.key as readonly string[]).includes(name))
      .flatMap(([, codec]) => codec.columns.map(({ name }) => name));
    this.#upsert = `${this.#insert} ${onConflict(keys, names)}`;
    this.#update = updateSql(table.name, names, keys);
    const selected = codecs.flatMap(({ select }) => select).join(', ');
    const joins = codecs.map(({ join }) => join ?? '').join(' ');
    this.#select = `SELECT ${selected} FROM ${table.name} ${joins}`;
    this.#where = keys.map((key) => `${table.name}.${key} = ?`).join(' AND ');
  }

  /** The columns for CREATE TABLE, with what `rules` adds to some of them; the seal is the last. */
  definition(rules: Readonly<Record<string, string>>): string {
    const columns = this.#columns.map(({ name, type }) => `${name} ${type} ${rules[name] ?? ''}`);
    return [...columns.map((column) => column.trim()), 'seal INTEGER'].join(',\n    ');
  }

  /** Inserts the record, or puts it in the place of the one with its key. */
  put(numbers: Numbers, entry: Entry): void {
    numbers.connection.run(this.#upsert, ...this.#values(numbers, entry));
  }

  /** As `put`, and answers the number that SQLite gives to the row, in its column `column`. */
  putNumbered(numbers: Numbers, entry: Entry, column: string): number {
    const sql = `${this.#upsert} RETURNING ${column}`;
    const row = numbers.connection.get<Row>(sql, ...this.#values(numbers, entry)) as Row;
    return row[column] as number;
  }

  /** Whether there was one to put it in the place of. */
  update(numbers: Numbers, entry: Entry): boolean {
    return numbers.connection.run(this.#update, ...this.#values(numbers, entry)) > 0;
  }

  /** Inserts a record that is new. */
  insert(numbers: Numbers, entry: Entry): void {
    numbers.connection.run(this.#insert, ...this.#values(numbers, entry));
  }

  find(connection: Connection, ...key: SQLInputValue[]): Entry | null {
    const row = connection.get<Row>(`${this.#select} WHERE ${this.#where}`, ...key);
    return row === undefined ? null : this.#entry(row);
  }

  /** `rest` is what follows the tables in the query: conditions, an order, a limit. */
  list(connection: Connection, rest: string, ...values: SQLInputValue[]): Entry[] {
    const rows = connection.all<Row>(`${this.#select} ${rest}`, ...values);
    return rows.map((row) => this.#entry(row));
  }

  remove(connection: Connection, ...key: SQLInputValue[]): void {
    connection.run(`DELETE FROM ${this.name} WHERE ${this.#where}`, ...key);
  }

  #values(numbers: Numbers, entry: Entry): SQLInputValue[] {
    const values: SQLInputValue[] = [];
    for (const [name, codec] of this.#fields) {
      codec.write((entry as Row)[name], values, numbers);
    }
    return values;
  }

  #entry(row: Row): Entry {
    const entry: Record<string, unknown> = {};
    for (const [name, codec] of this.#fields) entry[name] = codec.read(row);
    return entry as Entry;
  }
}

/** Not REPLACE: that would delete the row first, and with it what belongs to it. */
function onConflict(keys: readonly string[], names: readonly string[]): string {
  const others = names.filter((name) => !keys.includes(name));
  const set = [...others, 'seal'].map((name) => `${name} = excluded.${name}`);
  const action = others.length === 0 ? 'NOTHING' : `UPDATE SET ${set.join(', ')}`;
  return `ON CONFLICT (${keys.join(', ')}) DO ${action}`;
}

/** Its parameters are those of an INSERT. The key is left alone: setting it makes SQLite look at foreign keys. */
function updateSql(table: string, names: readonly string[], keys: readonly string[]): string {
  const places = new Map(names.map((name, at) => [name, `?${at + 1}`]));
  const set = names
    .filter((name) => !keys.includes(name))
    .map((name) => `${name} = ${places.get(name)}`);
  const seal = `seal = seal_of(${[...places.values()].join(', ')})`;
  const where = keys.map((key) => `${key} = ${places.get(key)}`).join(' AND ');
  return `UPDATE ${table} SET ${[...set, seal].join(', ')} WHERE ${where}`;
}

interface Column {
  readonly name: string;
  readonly type: string;
}

/** How a field lies in the columns of a row. */
interface Codec {
  readonly columns: readonly Column[];
  readonly select: readonly string[];
  /** The table that a query needs for it. */
  readonly join?: string;
  write(value: unknown, into: SQLInputValue[], numbers: Numbers): void;
  read(row: Row): unknown;
}

function codecOf(table: string, column: string, field: FieldShape, isNumber: boolean): Codec {
  const required = field.isNullable ? '' : ' NOT NULL';
  const integer = { name: column, type: `INTEGER${required}` };
  const plain = (type: string): Codec => ({
    columns: [{ name: column, type: type + required }],
    select: [`${table}.${column}`],
    write: (value, into) => into.push(value as SQLInputValue),
    read: (row) => row[column],
  });
  switch (field.kind) {
    case 'seq':
    case 'count':
    case 'time':
      return plain('INTEGER');
    case 'boolean':
      return {
        ...plain('INTEGER'),
        write: (value, into) => into.push(value ? 1 : 0),
        read: (row) => row[column] === 1,
      };
    case 'json':
      return {
        ...plain('TEXT'),
        write: (value, into) => into.push(value === null ? null : JSON.stringify(value)),
        read: (row) => (row[column] === null ? null : parseStored(row[column])),
      };
    case 'word':
      return isNumber ? wordByPlace(plain(`INTEGER`), column, field.words ?? []) : plain('TEXT');
    case 'path':
      return isNumber
        ? pathByNumber(table, integer)
        : {
            ...plain('BLOB'),
            write: (value, into) => into.push(pathToBytes(value as TrackedPath)),
            read: (row) => bytesToPath(row[column] as Uint8Array),
          };
    case 'state':
      return stateAndBlob(table, column === '' ? '' : `${column}_`, required);
    case 'session':
      return isNumber ? sessionByNumber(table, integer) : plain('TEXT');
    case 'execution':
      return executionByNumber(table, integer);
    case 'part':
      return partByNumber(table, integer);
    default:
      return plain('TEXT');
  }
}

/** A word that is in no list has no place, and is refused by the table. */
function wordByPlace(plain: Codec, column: string, words: readonly string[]): Codec {
  return {
    ...plain,
    columns: [{ name: column, type: `INTEGER NOT NULL CHECK (${column} >= 0)` }],
    write: (value, into) => into.push(words.indexOf(value as string)),
    read: (row) => words[row[column] as number],
  };
}

// CROSS: the rows are looked up, and then what they name.
function pathByNumber(table: string, column: Column): Codec {
  return {
    columns: [column],
    select: [`heads.path AS ${column.name}`],
    join: `CROSS JOIN heads ON heads.id = ${table}.${column.name}`,
    write: (value, into, numbers) => into.push(numbers.path(value as TrackedPath)),
    read: (row) => bytesToPath(row[column.name] as Uint8Array),
  };
}

function sessionByNumber(table: string, column: Column): Codec {
  return {
    columns: [column],
    select: [`sessions.id AS ${column.name}`],
    join: `LEFT JOIN sessions ON sessions.num = ${table}.${column.name}`,
    write: (value, into, numbers) =>
      into.push(value === null ? null : numbers.session(value as string)),
    read: (row) => row[column.name],
  };
}

function executionByNumber(table: string, column: Column): Codec {
  return {
    columns: [column],
    select: [`executions.id AS ${column.name}`],
    join: `JOIN executions ON executions.num = ${table}.${column.name}`,
    write: (value, into, numbers) => into.push(numbers.execution(value as string)),
    read: (row) => row[column.name],
  };
}

const NO_HASH = new Uint8Array(32);

/** A part that is lost has a name that no part has: whoever reads it is told. */
function partByNumber(table: string, column: Column): Codec {
  const { name } = column;
  return {
    columns: [column],
    select: [
      `${table}.${name}`,
      `(SELECT hash FROM parts WHERE parts.id = ${table}.${name}) AS ${name}_hash`,
    ],
    write: (value, into, numbers) =>
      into.push(value === null ? null : numbers.part(value as PartId)),
    read: (row) =>
      row[name] === null ? null : bytesToHash((row[`${name}_hash`] ?? NO_HASH) as Uint8Array),
  };
}

/** A state is a number and a blob. Its blob has the hash and the size. */
function stateAndBlob(table: string, prefix: string, required: string): Codec {
  const [mode, blob] = [`${prefix}mode`, `${prefix}blob`];
  const [hash, size] = [`${prefix}hash`, `${prefix}size`];
  const blobs = `${blob}_row`;
  return {
    columns: [
      { name: mode, type: `INTEGER${required}` },
      { name: blob, type: 'INTEGER' },
    ],
    select: [`${table}.${mode}`, `${blobs}.hash AS ${hash}`, `${blobs}.size AS ${size}`],
    join: `LEFT JOIN blobs AS ${blobs} ON ${blobs}.id = ${table}.${blob}`,
    write: (value, into, numbers) => {
      const state = value as State | null;
      if (state === null) into.push(null, null);
      else into.push(modeOf(state), numbers.blob(state));
    },
    read: (row) => stateIn(row, mode, hash, size),
  };
}
