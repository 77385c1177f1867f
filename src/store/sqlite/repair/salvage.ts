import { renameSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Connection } from '../connection.ts';
import { syncPath } from '../durable-files.ts';
import type { Layout } from '../layout.ts';
import { MIGRATIONS } from '../migrations.ts';
import { buildFresh } from '../open-database.ts';
import { SEALED_COLUMNS, type SealedTable } from '../seals.ts';
import type { SetAside } from './set-aside.ts';

/** Rows of these are found by a number, one after the other; others are read as far as that goes. */
const NUMBERED: readonly SealedTable[] = [
  'sessions',
  'checkpoints',
  'windows',
  'changes',
  'heads',
  'operations',
  'blobs',
];
// How far to jump where a page cannot be read: further each time, up to beyond any number in use.
const LAST_JUMP = 2 ** 40;

type Row = Record<string, null | number | string | Uint8Array>;

/** Copies every row that can still be read into a new database, which takes the place of the old one. */
export function salvage(layout: Layout, aside: SetAside): void {
  const fresh = buildFresh(layout, MIGRATIONS, (target) => fill(target, layout.database));
  for (const suffix of ['', '-wal', '-shm']) aside.file(layout.database + suffix);
  syncPath(fresh);
  renameSync(fresh, layout.database);
  syncPath(layout.directory);
}

function fill(target: Connection, damaged: string): void {
  target.exec('PRAGMA foreign_keys = OFF');
  let source: DatabaseSync;
  try {
    source = new DatabaseSync(damaged, { readOnly: true });
  } catch {
    return;
  }
  try {
    for (const table of Object.keys(SEALED_COLUMNS) as SealedTable[])
      copyTable(target, source, table);
  } finally {
    source.close();
  }
}

function copyTable(target: Connection, source: DatabaseSync, table: SealedTable): void {
  const columns = target
    .all<{ name: string }>(`SELECT name FROM pragma_table_info('${table}')`)
    .map(({ name }) => name);
  const places = columns.map(() => '?').join(', ');
  const insert = `INSERT OR REPLACE INTO ${table} (${columns.join(', ')}) VALUES (${places})`;
  const rows = NUMBERED.includes(table) ? numberedRows(source, table) : plainRows(source, table);
  for (const row of rows) {
    try {
      target.run(insert, ...columns.map((column) => row[column] ?? null));
    } catch {
      // It is against the rules of the table: damaged. The old database keeps it.
    }
  }
}

function* plainRows(source: DatabaseSync, table: SealedTable): Generator<Row> {
  try {
    for (const row of source.prepare(`SELECT * FROM ${table}`).iterate()) yield row as Row;
  } catch {
    // As far as it could be read.
  }
}

function* numberedRows(source: DatabaseSync, table: SealedTable): Generator<Row> {
  const sql = `SELECT rowid AS salvaged_number, * FROM ${table} NOT INDEXED WHERE rowid > ? LIMIT 1`;
  let [after, jump] = [-1, 1];
  while (jump <= LAST_JUMP) {
    try {
      const row = source.prepare(sql).get(after) as Row | undefined;
      if (row === undefined) return;
      const number = Number(row.salvaged_number);
      if (!(number > after)) return;
      yield row;
      [after, jump] = [number, 1];
    } catch {
      after += jump;
      jump *= 2;
    }
  }
}
