import { type SealedTable, sealSql } from '../seals.ts';

const TABLES: readonly SealedTable[] = [
  'meta',
  'sessions',
  'checkpoints',
  'windows',
  'changes',
  'heads',
  'cancellations',
  'operations',
  'journal',
  'blobs',
];

/**
 * Migration 6. Each row says, in `seal`, what it was when it was written, so that a flipped bit on a disk
 * is noticed: SQLite checks how pages hang together, not what is in them.
 */
export const ROW_SEALS: string = TABLES.map(
  (table) => `
  ALTER TABLE ${table} ADD COLUMN seal INTEGER;
  UPDATE ${table} SET seal = ${sealSql(table)};`,
).join('\n');
