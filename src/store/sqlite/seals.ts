import { sealOf } from '../seal.ts';
import type { Connection } from './connection.ts';
import { ROW_KEYS, SEALED_COLUMNS, type SealedTable } from './schema.ts';

/** The SQL of a row's seal; `given` has expressions for columns that are being written. */
export function sealSql(table: SealedTable, given: Readonly<Record<string, string>> = {}): string {
  return `seal_of(${SEALED_COLUMNS[table].map((column) => given[column] ?? column).join(', ')})`;
}

/** The SQL of the seal of a row whose columns are parameters, numbered from 1 in their order. */
export function newSealSql(table: SealedTable): string {
  return `seal_of(${SEALED_COLUMNS[table].map((_, at) => `?${at + 1}`).join(', ')})`;
}

export interface BrokenSeal {
  readonly table: SealedTable;
  /** The key that the row has now. It may be damaged too. */
  readonly key: string | number;
  /** The values of all key columns of the table. `key` is the first. */
  readonly keys: readonly (string | number)[];
}

interface Row extends Readonly<Record<string, unknown>> {
  readonly row_seal: number;
}

/** Rows that are not what was written: of the whole table, or of those that a condition selects. */
export function brokenSeals(
  connection: Connection,
  table: SealedTable,
  only?: { readonly where: string; readonly value: string },
): BrokenSeal[] {
  const keys = ROW_KEYS[table];
  const columns = [...new Set<string>([...keys, ...SEALED_COLUMNS[table]])].join(', ');
  const sql = `
    SELECT seal AS row_seal, ${columns}
    FROM ${table} ${only === undefined ? 'NOT INDEXED' : ''}
    WHERE seal IS NOT ${sealSql(table)} ${only === undefined ? '' : `AND ${only.where}`}`;
  return connection
    .all<Row>(sql, ...(only === undefined ? [] : [only.value]))
    .filter((row) => !(table === 'changes' && lostItsSession(connection, row)))
    .map((row) => keys.map((name) => row[name] as string | number))
    .map((values) => ({ table, key: values[0] ?? '', keys: values }));
}

// More sessions than anybody deletes one after the other.
const SESSIONS_BEYOND = 100;

/**
 * Somebody who deletes a session with SQL of their own frees its changes by the foreign key, which knows
 * nothing of seals. Such a row has the right seal for the number of a session that was deleted.
 */
function lostItsSession(connection: Connection, row: Row): boolean {
  if (row.session !== null) return false;
  const last = connection.get<{ last: number | null }>(
    'SELECT max(num) AS last FROM sessions',
  )?.last;
  for (let session = 0; session <= (last ?? 0) + SESSIONS_BEYOND; session += 1) {
    const values = SEALED_COLUMNS.changes.map((name) => (name === 'session' ? session : row[name]));
    if (sealOf(...values) === row.row_seal) return true;
  }
  return false;
}
