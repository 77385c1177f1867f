import { bytesToPath, type TrackedPath } from '../../../model/path.ts';
import type { Connection } from '../connection.ts';
import { SEALED_COLUMNS, type SealedTable, sealOf, sealSql } from '../seals.ts';
import { problem, type StoreProblem } from './problem.ts';

/** How a row of each table is named. */
const ROWS: Readonly<Record<SealedTable, { readonly word: string; readonly key: string }>> = {
  meta: { word: 'entry', key: 'key' },
  sessions: { word: 'session', key: 'id' },
  checkpoints: { word: 'checkpoint', key: 'id' },
  windows: { word: 'window', key: 'id' },
  changes: { word: 'change', key: 'seq' },
  heads: { word: 'last known state', key: 'id' },
  cancellations: { word: 'cancellation of change', key: 'change_seq' },
  operations: { word: 'operation', key: 'id' },
  journal: { word: 'journal', key: 'only' },
  blobs: { word: 'blob', key: 'id' },
};

export interface BrokenSeal {
  readonly table: SealedTable;
  /** What the row is called by; as it is now, which may be wrong. */
  readonly key: string | number;
}

export const SEALED_TABLES: readonly SealedTable[] = Object.keys(SEALED_COLUMNS) as SealedTable[];

/** Rows that are not what was written. */
export function brokenSeals(connection: Connection, table: SealedTable): BrokenSeal[] {
  const { key } = ROWS[table];
  const columns = SEALED_COLUMNS[table].join(', ');
  const sql = `
    SELECT ${key} AS row_key, seal AS row_seal, ${columns} FROM ${table} NOT INDEXED
    WHERE seal IS NOT ${sealSql(table)}`;
  return connection
    .all<Row>(sql)
    .filter((row) => !(table === 'changes' && lostItsSession(connection, row)))
    .map(({ row_key }) => ({ table, key: row_key }));
}

interface Row extends Readonly<Record<string, unknown>> {
  readonly row_key: string | number;
  readonly row_seal: number;
}

export function sealProblem(connection: Connection, { table, key }: BrokenSeal): StoreProblem {
  const message = `the ${ROWS[table].word} ${key} is not what was written`;
  return problem('row', message, { paths: pathsOf(connection, table, key) });
}

/**
 * Somebody who deletes a session with SQL of their own frees its changes by the foreign key, which knows
 * nothing of seals. Such a row is right with the number of a session that is no more.
 */
function lostItsSession(connection: Connection, row: Row): boolean {
  if (row.session !== null) return false;
  const last = connection.get<{ last: number | null }>(
    'SELECT max(num) AS last FROM sessions',
  )?.last;
  const nums = Array.from({ length: (last ?? 0) + 100 }, (_, num) => num);
  return nums.some((session) => {
    const values = SEALED_COLUMNS.changes.map((name) => (name === 'session' ? session : row[name]));
    return sealOf(...values) === row.row_seal;
  });
}

const PATH_OF: Partial<Record<SealedTable, string>> = {
  changes: 'SELECT heads.path FROM changes JOIN heads ON heads.id = changes.path WHERE seq = ?',
  heads: 'SELECT path FROM heads WHERE id = ?',
  cancellations: `SELECT heads.path FROM changes JOIN heads ON heads.id = changes.path WHERE seq = ?`,
};

function pathsOf(connection: Connection, table: SealedTable, key: string | number): TrackedPath[] {
  const sql = PATH_OF[table];
  const row = sql === undefined ? undefined : connection.get<{ path: Uint8Array }>(sql, key);
  return row?.path instanceof Uint8Array ? [bytesToPath(row.path) as TrackedPath] : [];
}
