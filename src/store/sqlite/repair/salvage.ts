import { renameSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { syncPath } from '../../../fs/write-file.ts';
import { problem, type StoreProblem } from '../check/problem.ts';
import type { Connection } from '../connection.ts';
import { isAgainstRules, isOutside } from '../failures.ts';
import type { Layout } from '../layout.ts';
import { writeBaseline } from '../meta.ts';
import { MIGRATIONS } from '../migrations.ts';
import { buildFresh } from '../open-database.ts';
import { SEALED_COLUMNS, type SealedTable } from '../seals.ts';
import { withSource } from './damaged-source.ts';
import { type Row, readableRows } from './readable-rows.ts';
import type { SetAside } from './set-aside.ts';

const TABLES = Object.keys(SEALED_COLUMNS) as SealedTable[];

export interface Copied {
  readonly table: SealedTable;
  readonly kept: number;
  /** At least so many there were. */
  readonly known: number;
  readonly isWhole: boolean;
}

/**
 * Copies every row that can still be read into a new database, which takes the place of the old one.
 * Answers what could not be read. Where something else than damage is in the way, nothing is replaced.
 */
export function salvage(layout: Layout, aside: SetAside): StoreProblem[] {
  const copied: Copied[] = [];
  const fresh = buildFresh(layout, MIGRATIONS, (target) => {
    target.exec('PRAGMA foreign_keys = OFF');
    withSource(layout.database, (source) => {
      for (const table of TABLES) copied.push(copyTable(target, source, table));
      // The first scan must not speak for paths whose last known state is lost; the old database keeps it.
      if (copied.some(({ table, isWhole }) => table === 'heads' && !isWhole)) {
        writeBaseline(target, null);
      }
    });
  });
  syncPath(fresh);
  // The name never vanishes: whoever finds none would begin an empty store. The log goes first, since
  // SQLite would take it for that of the new database.
  aside.keep(layout.database);
  for (const suffix of ['-wal', '-shm']) aside.file(layout.database + suffix);
  renameSync(fresh, layout.database);
  syncPath(layout.directory);
  return lossesOf(copied);
}

function lossesOf(copied: readonly Copied[]): StoreProblem[] {
  const file = 'store.db';
  // Every store has rows of some kind.
  if (copied.every(({ kept }) => kept === 0)) {
    return [problem('database', 'no row of the database could be read', { file })];
  }
  return copied
    .filter(({ isWhole }) => !isWhole)
    .map(({ table, kept, known }) => {
      const count = known > kept ? `${kept} of ${known}` : `only ${kept}`;
      return problem('database', `${count} rows of ${table} could be read`, { file });
    });
}

/** Throws where the new database cannot take a row for another reason than the row itself. */
export function copyTable(target: Connection, source: DatabaseSync, table: SealedTable): Copied {
  const columns = target
    .all<{ name: string }>(`SELECT name FROM pragma_table_info('${table}')`)
    .map(({ name }) => name);
  const places = columns.map(() => '?').join(', ');
  const insert = `INSERT OR REPLACE INTO ${table} (${columns.join(', ')}) VALUES (${places})`;
  let [gaps, read] = [0, 0];
  for (const row of readableRows(source, table, () => (gaps += 1))) {
    read += 1;
    try {
      target.run(insert, ...valuesOf(row, columns));
    } catch (error) {
      // It is against the rules of the table: damaged. The old database keeps it.
      if (!isAgainstRules(error)) throw error;
    }
  }
  const count = target.get<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)?.count ?? 0;
  // A new database has some rows of its own.
  const kept = Math.min(read, count);
  const known = Math.max(read, ...countsByIndex(target, source, table));
  return { table, kept, known, isWhole: gaps === 0 && known === kept };
}

/** By their places where a name in the definition of the table is damaged. */
function valuesOf(row: Row, columns: readonly string[]): Row[string][] {
  const values = Object.values(row);
  return values.length === columns.length ? values : columns.map((column) => row[column] ?? null);
}

/** A damaged page can hide rows without a word; the indices still name them. */
function countsByIndex(target: Connection, source: DatabaseSync, table: SealedTable): number[] {
  const sql = `SELECT name FROM pragma_index_list('${table}') WHERE NOT partial`;
  return target.all<{ name: string }>(sql).map(({ name }) => {
    try {
      const count = source
        .prepare(`SELECT count(*) AS count FROM ${table} INDEXED BY ${name}`)
        .get();
      return Number(count?.count);
    } catch (error) {
      if (isOutside(error)) throw error;
      return 0;
    }
  });
}
