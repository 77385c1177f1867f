import type { DatabaseSync } from 'node:sqlite';
import { isOutside } from '../failures.ts';
import type { SealedTable } from '../schema.ts';

/** Rows of these are found by a number, one after the other; others are read as far as that goes. */
const NUMBERED: readonly SealedTable[] = [
  'sessions',
  'checkpoints',
  'windows',
  'changes',
  'heads',
  'operations',
  'blobs',
  'parts',
  'documents',
  'executions',
];
// How far to jump where a page cannot be read: further each time, up to beyond any number in use.
const LAST_JUMP = 2 ** 40;
const BEYOND = Number.MAX_SAFE_INTEGER;

export type Row = Readonly<Record<string, null | number | string | Uint8Array>>;

/** Every row of a damaged table that can be read, in any order; `onGap` where one cannot. */
export function readableRows(
  source: DatabaseSync,
  table: SealedTable,
  onGap: () => void,
): Generator<Row> {
  return NUMBERED.includes(table)
    ? numberedRows(source, table, onGap)
    : plainRows(source, table, onGap);
}

function* plainRows(source: DatabaseSync, table: SealedTable, onGap: () => void): Generator<Row> {
  try {
    for (const row of source.prepare(`SELECT * FROM ${table}`).iterate()) yield row as Row;
  } catch (error) {
    if (isOutside(error)) throw error;
    // As far as it could be read.
    onGap();
  }
}

function* numberedRows(
  source: DatabaseSync,
  table: SealedTable,
  onGap: () => void,
): Generator<Row> {
  const from = `FROM ${table} NOT INDEXED WHERE rowid > ? LIMIT 1`;
  // Everything up to `sure` was read, or is known to be unreadable.
  let [sure, after, jump] = [-1, -1, 1];
  while (jump <= LAST_JUMP) {
    try {
      const row = source.prepare(`SELECT *, rowid AS row_number ${from}`).get(after) as
        | Row
        | undefined;
      const number = row === undefined ? BEYOND : Number(row.row_number);
      if (!(number > after)) return;
      if (after > sure) yield* rowsBack(source, table, sure, number);
      if (row === undefined) return;
      yield withoutNumber(row);
      [sure, after, jump] = [number, number, 1];
    } catch (error) {
      if (isOutside(error)) throw error;
      onGap();
      // A row of which only the bytes beyond its page are lost still has its number.
      const number = numberAfter(source, from, after);
      if (number !== null && number > after) [after, jump] = [number, 1];
      else [after, jump] = [after + jump, jump * 2];
    }
  }
}

/** From behind a page that cannot be read, back to it: a jump goes too far. */
function* rowsBack(
  source: DatabaseSync,
  table: SealedTable,
  sure: number,
  before: number,
): Generator<Row> {
  const sql = `
    SELECT *, rowid AS row_number FROM ${table} NOT INDEXED
    WHERE rowid > ? AND rowid < ? ORDER BY rowid DESC LIMIT 1`;
  let last = before;
  try {
    while (true) {
      const row = source.prepare(sql).get(sure, last) as Row | undefined;
      if (row === undefined || !(Number(row.row_number) < last)) return;
      yield withoutNumber(row);
      last = Number(row.row_number);
    }
  } catch (error) {
    if (isOutside(error)) throw error;
    // Here is the page.
  }
}

function numberAfter(source: DatabaseSync, from: string, after: number): number | null {
  try {
    const row = source.prepare(`SELECT rowid AS row_number ${from}`).get(after);
    return row === undefined ? null : Number(row.row_number);
  } catch (error) {
    if (isOutside(error)) throw error;
    return null;
  }
}

function withoutNumber({ row_number: _, ...row }: Row): Row {
  return row;
}
