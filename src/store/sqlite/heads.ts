import type { Change } from '../../model/change.ts';
import { bytesToPath, pathToBytes, type TrackedPath } from '../../model/path.ts';
import type { ClosedChange, Head } from '../store.ts';
import type { BlobNumbers } from './blob-numbers.ts';
import type { Connection } from './connection.ts';
import { newSealSql, sealSql } from './seals.ts';
import { modeOf, stateFrom } from './state-columns.ts';

interface HeadRow {
  readonly path: Uint8Array;
  readonly seq: number;
  readonly open: number;
  readonly mode: number;
  readonly hash: Uint8Array | null;
  readonly size: number | null;
}

const PUT = `
  INSERT INTO heads (path, seq, open, mode, blob, seal)
  VALUES (?1, ?2, ?3, ?4, ?5, ${newSealSql('heads')})
  ON CONFLICT (path) DO UPDATE SET seq = excluded.seq, open = excluded.open, mode = excluded.mode,
    blob = excluded.blob, seal = excluded.seal
  RETURNING id`;

const CLOSE = `
  UPDATE heads SET open = 0, mode = ?1, blob = ?2,
    seal = ${sealSql('heads', { open: '0', mode: '?1', blob: '?2' })}
  WHERE id = ?3 AND seq = ?4`;

const SELECT = `
  SELECT path, seq, open, mode, hash, size FROM heads LEFT JOIN blobs ON blobs.id = heads.blob`;

/** New changes come in order, so the last one is the newest of its path. Returns the path's number. */
export function followChange(connection: Connection, change: Change, blobs: BlobNumbers): number {
  const state = change.after ?? change.before;
  const [path, open] = [pathToBytes(change.path), change.after === null ? 1 : 0];
  const values = [path, change.seq, open, modeOf(state), blobs.of(state)] as const;
  return (connection.get<{ id: number }>(PUT, ...values) as { id: number }).id;
}

/** Where a newer change stands on top already, the head stays that one's. */
export function followClosing(
  connection: Connection,
  path: number,
  { seq, after }: ClosedChange,
  blobs: BlobNumbers,
): void {
  connection.run(CLOSE, modeOf(after), blobs.of(after), path, seq);
}

export function findHead(connection: Connection, path: TrackedPath): Head | null {
  const row = connection.get<HeadRow>(`${SELECT} WHERE path = ?`, pathToBytes(path));
  return row === undefined ? null : toHead(row);
}

export function listHeads(connection: Connection): readonly Head[] {
  return connection.all<HeadRow>(`${SELECT} ORDER BY path`).map(toHead);
}

function toHead(row: HeadRow): Head {
  const path = bytesToPath(row.path) as TrackedPath;
  const state = stateFrom(row.mode, row.hash, row.size);
  return { path, seq: row.seq, state, open: row.open === 1 };
}
