import type { Attribution, Change, ChangeOrigin } from '../../model/change.ts';
import { SavepointError } from '../../model/errors.ts';
import type { CheckpointId, OperationId } from '../../model/ids.ts';
import { bytesToPath, pathToBytes, type TrackedPath } from '../../model/path.ts';
import type { State } from '../../model/state.ts';
import type { ChangeQuery, ClosedChange } from '../store.ts';
import type { Connection } from './connection.ts';
import { followChange, followClosing } from './heads.ts';
import { Conditions, hexList, LISTED_BYTES, LISTED_TEXTS } from './parameters.ts';
import { fromColumns, toColumns } from './state-columns.ts';

interface ChangeRow {
  readonly seq: number;
  readonly path: Uint8Array;
  readonly before_type: string;
  readonly before_mode: number | null;
  readonly before_blob: Uint8Array | null;
  readonly before_size: number | null;
  readonly before_reason: string | null;
  readonly after_type: string | null;
  readonly after_mode: number | null;
  readonly after_blob: Uint8Array | null;
  readonly after_size: number | null;
  readonly after_reason: string | null;
  readonly origin: string;
  readonly attribution: string;
  readonly session_id: string | null;
  readonly checkpoint_id: string | null;
  readonly operation_id: string | null;
  readonly tool_call_id: string | null;
  readonly owner: string | null;
  readonly created_at: number;
}

const INSERT = `
  INSERT INTO changes (seq, path,
    before_type, before_mode, before_blob, before_size, before_reason,
    after_type, after_mode, after_blob, after_size, after_reason,
    origin, attribution, session_id, checkpoint_id, operation_id, tool_call_id, owner, created_at,
    message_id)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
    (SELECT message_id FROM checkpoints WHERE id = ? AND ? = 'tool'))`;

const CLOSE = `
  UPDATE changes SET after_type = ?, after_mode = ?, after_blob = ?, after_size = ?, after_reason = ?,
    attribution = coalesce(?, attribution)
  WHERE seq = ? AND after_type IS NULL
  RETURNING path`;

export function insertChange(connection: Connection, change: Change): void {
  const path = pathToBytes(change.path);
  connection.run(
    INSERT,
    change.seq,
    path,
    ...toColumns(change.before),
    ...toColumns(change.after),
    change.origin,
    change.attribution,
    change.sessionId,
    change.checkpointId,
    change.operationId,
    change.toolCallId,
    change.owner,
    change.createdAt,
    change.checkpointId,
    change.origin,
  );
  followChange(connection, path, change);
}

export function closeChange(connection: Connection, closed: ClosedChange): void {
  const { seq, after, attribution = null } = closed;
  const row = connection.get<{ path: Uint8Array }>(CLOSE, ...toColumns(after), attribution, seq);
  if (row === undefined) {
    throw new SavepointError('argument-invalid', `change ${closed.seq} is not open`);
  }
  followClosing(connection, row.path, closed);
}

export function listChanges(connection: Connection, query: ChangeQuery): readonly Change[] {
  const { sessionIds, paths, checkpointIds } = query;
  const where = new Conditions();
  // Of open changes there are few, and an index that holds no others.
  if (query.open) where.lead('after_type IS NULL');
  where.narrow('operation_id', '= ?', query.operationId);
  where.narrow('checkpoint_id', `IN ${LISTED_TEXTS}`, checkpointIds && hexList(checkpointIds));
  where.narrow('path', `IN ${LISTED_BYTES}`, paths && hexList(paths.map(pathToBytes)));
  where.narrow('session_id', `IN ${LISTED_TEXTS}`, sessionIds && hexList(sessionIds));
  where.add('seq > ?', query.after);
  const sql = `SELECT * FROM changes ${where.sql} ORDER BY seq`;
  return connection.all<ChangeRow>(sql, ...where.values).map(toChange);
}

export function countChangedPaths(
  connection: Connection,
  ids: readonly CheckpointId[],
): ReadonlyMap<CheckpointId, number> {
  const sql = `
    SELECT checkpoint_id AS id, count(DISTINCT path) AS paths FROM changes
    WHERE checkpoint_id IN ${LISTED_TEXTS} GROUP BY checkpoint_id`;
  const rows = connection.all<{ id: CheckpointId; paths: number }>(sql, hexList(ids));
  return new Map(rows.map(({ id, paths }) => [id, paths]));
}

function toChange(row: ChangeRow): Change {
  return {
    seq: row.seq,
    path: bytesToPath(row.path) as TrackedPath,
    before: beforeOf(row),
    after: afterOf(row),
    origin: row.origin as ChangeOrigin,
    attribution: row.attribution as Attribution,
    sessionId: row.session_id,
    checkpointId: row.checkpoint_id as CheckpointId | null,
    operationId: row.operation_id as OperationId | null,
    toolCallId: row.tool_call_id,
    owner: row.owner,
    createdAt: row.created_at,
  };
}

function beforeOf(row: ChangeRow): State {
  const { before_type, before_mode, before_blob, before_size, before_reason } = row;
  return fromColumns(before_type, before_mode, before_blob, before_size, before_reason);
}

function afterOf(row: ChangeRow): State | null {
  const { after_type, after_mode, after_blob, after_size, after_reason } = row;
  if (after_type === null) return null;
  return fromColumns(after_type, after_mode, after_blob, after_size, after_reason);
}
