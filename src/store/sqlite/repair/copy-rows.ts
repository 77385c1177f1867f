import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { sealOf } from '../../seal.ts';
import { problem, type StoreProblem } from '../check/problem.ts';
import { type Connection, isAgainstRules, isOutside } from '../connection.ts';
import { SEALED_COLUMNS, type SealedTable } from '../schema.ts';

type Value = Exclude<SQLOutputValue, bigint>;
export type Row = Readonly<Record<string, Value>>;
type Key = readonly Value[];

export interface CopiedTable {
  readonly table: SealedTable;
  readonly kept: number;
  /** How many rows there were at least. */
  readonly known: number;
  /** False where rows could not be read, and where nobody can tell. */
  readonly isComplete: boolean;
}

/** Columns whose values nothing can work with where damage has made another type of them. */
const BYTES: Partial<Record<SealedTable, string>> = {
  heads: 'path',
  private_paths: 'path',
  blobs: 'hash',
};

/**
 * Copies every row of a damaged table that SQLite can still read. Throws where the new database cannot
 * take a row for another reason than the row itself.
 */
export function copyTable(
  target: Connection,
  source: DatabaseSync,
  table: SealedTable,
): CopiedTable {
  const columns = namesIn(target, `pragma_table_info('${table}')`);
  const indices = namesIn(target, `pragma_index_list('${table}') WHERE NOT partial`);
  const keyColumns = isWithoutRowid(target, table)
    ? namesIn(target, `pragma_table_info('${table}') WHERE pk > 0 ORDER BY pk`)
    : ['rowid'];
  const { keys, known, isListed } = listKeys(source, table, keyColumns, indices);
  const where = keyColumns.map((name) => `${name} = ?`).join(' AND ');
  const into = `INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
  let kept = 0;
  for (const key of keys) {
    const found = readRow(source, `SELECT * FROM ${table} NOT INDEXED WHERE ${where}`, key);
    if (found === null) continue;
    const row =
      table === 'heads' ? withRightName(source, found, indices) : inPlaces(found, columns);
    const bytes = BYTES[table];
    if (bytes !== undefined && !(row[bytes] instanceof Uint8Array)) continue;
    // Of two rows that exclude each other, the one stays that is what was written.
    const insert = isSealed(table, row) ? 'INSERT OR REPLACE' : 'INSERT OR IGNORE';
    try {
      kept += target.run(`${insert} ${into}`, ...columns.map((name) => row[name] ?? null));
    } catch (error) {
      if (!isAgainstRules(error)) throw error;
    }
  }
  return { table, kept, known, isComplete: isListed && kept >= known };
}

export function lossesOf(copied: readonly CopiedTable[]): StoreProblem[] {
  const file = 'store.db';
  // Every store has entries in `meta`.
  if (copied.every(({ kept }) => kept === 0)) {
    return [problem('database', 'no row of the database could be read', { file })];
  }
  return copied
    .filter(({ isComplete }) => !isComplete)
    .map(({ table, kept, known }) => {
      const count = known > kept ? `${kept} of ${known}` : `only ${kept}`;
      return problem('database', `${count} rows of ${table} could be read`, { file });
    });
}

function namesIn(target: Connection, from: string): string[] {
  return target.all<{ name: string }>(`SELECT name FROM ${from}`).map(({ name }) => name);
}

function isWithoutRowid(target: Connection, table: SealedTable): boolean {
  const sql = `SELECT wr FROM pragma_table_list WHERE name = '${table}'`;
  return target.get<{ wr: number }>(sql)?.wr === 1;
}

/**
 * Lists the keys in every way that SQLite knows: the table from both ends, and each index. A broken page
 * ends one of these lists, or hides rows from it, and not from the others.
 */
function listKeys(
  source: DatabaseSync,
  table: SealedTable,
  columns: readonly string[],
  indices: readonly string[],
): { keys: Iterable<Key>; known: number; isListed: boolean } {
  const down = columns.map((name) => `${name} DESC`);
  const keys = new Map<string, Key>();
  const lists = [
    `${table} NOT INDEXED ORDER BY ${columns.join(', ')}`,
    `${table} NOT INDEXED ORDER BY ${down.join(', ')}`,
    ...indices.map((index) => `${table} INDEXED BY ${index}`),
  ].map((from) => listOne(source, `SELECT ${columns.join(', ')} FROM ${from}`, keys));
  return {
    keys: keys.values(),
    known: Math.max(...lists.map(({ count }) => count)),
    isListed: lists.some(({ isWhole }) => isWhole),
  };
}

function listOne(
  source: DatabaseSync,
  sql: string,
  keys: Map<string, Key>,
): { count: number; isWhole: boolean } {
  const seen = new Set<string>();
  const isWhole = eachRow<Row>(source, sql, (row) => {
    const key = Object.values(row);
    const text = JSON.stringify(key);
    seen.add(text);
    keys.set(text, key);
    return true;
  });
  return { count: seen.size, isWhole };
}

/** Answers whether all rows could be read, and `look` agreed to go on after each of them. */
export function eachRow<Found>(
  source: DatabaseSync,
  sql: string,
  look: (row: Found) => boolean,
): boolean {
  try {
    for (const row of source.prepare(sql).iterate()) if (!look(row as Found)) return false;
    return true;
  } catch (error) {
    if (isOutside(error)) throw error;
    return false;
  }
}

function readRow(source: DatabaseSync, sql: string, key: Key): Row | null {
  try {
    return (source.prepare(sql).get(...key) as Row | undefined) ?? null;
  } catch (error) {
    if (isOutside(error)) throw error;
    return null;
  }
}

/** The values by their places: a name in the definition of the table may be damaged. */
function inPlaces(row: Row, columns: readonly string[]): Row {
  const values = Object.values(row);
  if (values.length !== columns.length) return row;
  return Object.fromEntries(columns.map((name, at) => [name, values[at] ?? null]));
}

/** A head whose name is damaged gets the name that the index has for it, if the seal says that it is right. */
function withRightName(source: DatabaseSync, row: Row, [index = '']: readonly string[]): Row {
  if (isSealed('heads', row)) return row;
  const sql = `SELECT path FROM heads INDEXED BY ${index} WHERE id = ?`;
  const right = { ...row, ...readRow(source, sql, [row.id ?? null]) };
  return isSealed('heads', right) ? right : row;
}

/** Whether a row is what was written. */
export function isSealed(table: SealedTable, row: Row): boolean {
  return sealOf(...SEALED_COLUMNS[table].map((column) => row[column])) === row.seal;
}
