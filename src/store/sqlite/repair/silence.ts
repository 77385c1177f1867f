import { unknown } from '../../../model/state.ts';
import type { Connection } from '../connection.ts';
import type { SealedTable } from '../schema.ts';
import { sealSql } from '../seals.ts';
import { modeOf } from '../state-columns.ts';

export const DAMAGED_MODE: number = modeOf(unknown('damaged'));

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
