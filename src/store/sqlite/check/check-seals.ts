import { bytesToPath, type TrackedPath } from '../../../model/path.ts';
import type { BrokenSeal } from '../broken-seals.ts';
import type { Connection } from '../connection.ts';
import { SEALED_COLUMNS, type SealedTable } from '../schema.ts';
import { problem, type StoreProblem } from './problem.ts';

export const SEALED_TABLES: readonly SealedTable[] = Object.keys(SEALED_COLUMNS) as SealedTable[];

const WORDS: Readonly<Record<SealedTable, string>> = {
  meta: 'entry',
  sessions: 'session',
  checkpoints: 'checkpoint',
  windows: 'window',
  changes: 'change',
  heads: 'last known state',
  cancellations: 'cancellation of change',
  operations: 'operation',
  journal: 'journal',
  blobs: 'blob',
  parts: 'part',
  documents: 'document',
  executions: 'execution',
  steps: 'step of execution',
};

export function sealProblem(connection: Connection, { table, key }: BrokenSeal): StoreProblem {
  const message = `the ${WORDS[table]} ${key} is not what was written`;
  return problem('row', message, { paths: pathsOf(connection, table, key) });
}

const CHANGED_PATH = `
  SELECT heads.path FROM changes JOIN heads ON heads.id = changes.path WHERE changes.seq = ?`;

const PATH_OF: Partial<Record<SealedTable, string>> = {
  changes: CHANGED_PATH,
  heads: 'SELECT path FROM heads WHERE id = ?',
  cancellations: CHANGED_PATH,
};

function pathsOf(connection: Connection, table: SealedTable, key: string | number): TrackedPath[] {
  const sql = PATH_OF[table];
  const row = sql === undefined ? undefined : connection.get<{ path: Uint8Array }>(sql, key);
  return row?.path instanceof Uint8Array ? [bytesToPath(row.path) as TrackedPath] : [];
}
