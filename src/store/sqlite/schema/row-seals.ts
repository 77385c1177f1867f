import { SEALED_COLUMNS, type SealedTable, sealSql } from '../seals.ts';

/**
 * Migration 6. Each row says, in `seal`, what it was when it was written, so that a flipped bit on a disk
 * is noticed: SQLite checks how pages hang together, not what is in them.
 */
export const ROW_SEALS: string = (Object.keys(SEALED_COLUMNS) as SealedTable[])
  .map(
    (table) => `
  ALTER TABLE ${table} ADD COLUMN seal INTEGER;
  UPDATE ${table} SET seal = ${sealSql(table)};`,
  )
  .join('\n');
