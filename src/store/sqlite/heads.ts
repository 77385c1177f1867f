import type { Change } from '../../model/change.ts';
import { bytesToPath, pathToBytes, type TrackedPath } from '../../model/path.ts';
import type { ClosedChange, Head } from '../store.ts';
import type { Connection } from './connection.ts';
import { fromColumns, toColumns } from './state-columns.ts';

interface HeadRow {
  readonly path: Uint8Array;
  readonly seq: number;
  readonly open: number;
  readonly type: string;
  readonly mode: number | null;
  readonly blob: Uint8Array | null;
  readonly size: number | null;
  readonly reason: string | null;
}

const PUT = `
  INSERT INTO heads (path, seq, open, type, mode, blob, size, reason)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (path) DO UPDATE SET seq = excluded.seq, open = excluded.open, type = excluded.type,
    mode = excluded.mode, blob = excluded.blob, size = excluded.size, reason = excluded.reason`;

const CLOSE = `
  UPDATE heads SET open = 0, type = ?, mode = ?, blob = ?, size = ?, reason = ?
  WHERE path = ? AND seq = ?`;

/** New changes come in order, so the last one is the newest of its path. */
export function followChange(connection: Connection, path: Uint8Array, change: Change): void {
  const open = change.after === null;
  const state = toColumns(change.after ?? change.before);
  connection.run(PUT, path, change.seq, open ? 1 : 0, ...state);
}

/** Where a newer change stands on top already, the head stays that one's. */
export function followClosing(
  connection: Connection,
  path: Uint8Array,
  closed: ClosedChange,
): void {
  connection.run(CLOSE, ...toColumns(closed.after), path, closed.seq);
}

export function findHead(connection: Connection, path: TrackedPath): Head | null {
  const row = connection.get<HeadRow>('SELECT * FROM heads WHERE path = ?', pathToBytes(path));
  return row === undefined ? null : toHead(row);
}

export function listHeads(connection: Connection): readonly Head[] {
  return connection.all<HeadRow>('SELECT * FROM heads ORDER BY path').map(toHead);
}

function toHead(row: HeadRow): Head {
  const path = bytesToPath(row.path) as TrackedPath;
  const state = fromColumns(row.type, row.mode, row.blob, row.size, row.reason);
  return { path, seq: row.seq, state, open: row.open === 1 };
}
