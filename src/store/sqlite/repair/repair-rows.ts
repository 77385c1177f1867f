import { existsSync, statSync } from 'node:fs';
import { unknown } from '../../../model/state.ts';
import { type BrokenSeal, brokenSeals, ROW_KEYS } from '../broken-seals.ts';
import { NEWEST } from '../check/check-chains.ts';
import { SEALED_TABLES } from '../check/check-seals.ts';
import type { Connection } from '../connection.ts';
import { writeMeta } from '../meta.ts';
import type { Opened } from '../opened.ts';
import { type SealedTable, sealSql } from '../seals.ts';
import { modeOf } from '../state-columns.ts';
import type { SetAside } from './set-aside.ts';

export const DAMAGED_MODE: number = modeOf(unknown('damaged'));

/** Rows that are not what was written: set aside, and then taken out, or made to say nothing. */
export function repairRows(opened: Opened, aside: SetAside): void {
  const { connection } = opened;
  for (const table of SEALED_TABLES) {
    for (const broken of brokenSeals(connection, table)) {
      const row = connection.get(`SELECT * FROM ${table} WHERE ${whereOf(table)}`, ...broken.keys);
      aside.row(table, row);
      settle(connection, broken);
    }
  }
  repairMeta(opened);
}

function settle(connection: Connection, { table, key, keys }: BrokenSeal): void {
  // What a session or a content is called by is still what others call it by; the rest is looked at anew.
  if (table === 'sessions' || table === 'blobs') {
    seal(connection, table, 'id', key);
  } else if (table === 'heads') silence(connection, Number(key));
  else if (table === 'changes') {
    for (const side of ['before', 'after'] as const) {
      silenceSide(connection, side, 'seq', Number(key));
    }
  } else connection.run(`DELETE FROM ${table} WHERE ${whereOf(table)}`, ...keys);
}

function whereOf(table: SealedTable): string {
  return ROW_KEYS[table].map((key) => `${key} = ?`).join(' AND ');
}

/** Of a path whose name may be wrong nothing is known any more. */
function silence(connection: Connection, head: number): void {
  connection.run('UPDATE heads SET mode = ?, blob = NULL WHERE id = ?', DAMAGED_MODE, head);
  for (const side of ['before', 'after'] as const) silenceSide(connection, side, 'path', head);
  seal(connection, 'heads', 'id', head);
}

/** Makes one side of changes unknown. A change that is open stays so. */
export function silenceSide(
  connection: Connection,
  side: 'before' | 'after',
  key: 'path' | 'seq',
  value: number,
): void {
  connection.run(
    `UPDATE changes SET ${side}_mode = ?, ${side}_blob = NULL
     WHERE ${key} = ? AND ${side}_mode IS NOT NULL`,
    DAMAGED_MODE,
    value,
  );
  seal(connection, 'changes', key, value);
}

export function seal(
  connection: Connection,
  table: SealedTable,
  key: string,
  value: string | number,
): void {
  connection.run(`UPDATE ${table} SET seal = ${sealSql(table)} WHERE ${key} = ?`, value);
}

/** What a store cannot be without. A project that is not known is bound anew; so is a baseline. */
function repairMeta({ connection, layout }: Opened): void {
  const newest = connection.get<{ seq: number | null }>(NEWEST)?.seq ?? 0;
  const said = connection.get<{ value: unknown }>(
    "SELECT value FROM meta WHERE key = 'seq'",
  )?.value;
  if (typeof said !== 'number' || said < newest) writeMeta(connection, 'seq', newest);
  const size = existsSync(layout.arrivals) ? statSync(layout.arrivals).size : 0;
  if (connection.get("SELECT 1 FROM meta WHERE key = 'arrivals'") === undefined) {
    writeMeta(connection, 'arrivals', size);
  }
  for (const key of ['project', 'baseline']) {
    const row = connection.get<{ value: unknown }>('SELECT value FROM meta WHERE key = ?', key);
    if (row !== undefined && !isJson(row.value))
      connection.run('DELETE FROM meta WHERE key = ?', key);
  }
}

function isJson(value: unknown): boolean {
  try {
    return typeof value === 'string' && typeof JSON.parse(value) === 'object';
  } catch {
    return false;
  }
}
