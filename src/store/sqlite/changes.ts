import type { Attribution, Change, ChangeOrigin } from '../../model/change.ts';
import { SavepointError } from '../../model/errors.ts';
import type { CheckpointId, OperationId } from '../../model/ids.ts';
import { bytesToPath, pathToBytes, type TrackedPath } from '../../model/path.ts';
import type { ChangeQuery, ClosedChange } from '../store.ts';
import type { BlobNumbers } from './blob-numbers.ts';
import type { Connection } from './connection.ts';
import { followChange, followClosing } from './heads.ts';
import { Conditions, hexList, LISTED_BYTES, LISTED_TEXTS } from './parameters.ts';
import { newSealSql, sealSql } from './seals.ts';
import { sessionNumber } from './sessions.ts';
import { modeOf, stateFrom } from './state-columns.ts';

interface ChangeRow {
  readonly seq: number;
  readonly path: Uint8Array;
  readonly before_mode: number;
  readonly before_hash: Uint8Array | null;
  readonly before_size: number | null;
  readonly after_mode: number | null;
  readonly after_hash: Uint8Array | null;
  readonly after_size: number | null;
  readonly origin: number;
  readonly attribution: number;
  readonly session_id: string | null;
  readonly checkpoint_id: string | null;
  readonly operation_id: string | null;
  readonly tool_call_id: string | null;
  readonly owner: string | null;
  readonly created_at: number;
}

// The number of each is its place; stores hold these numbers.
const ORIGINS: readonly ChangeOrigin[] = ['outside', 'tool', 'shell', 'operation'];
const ATTRIBUTIONS: readonly Attribution[] = ['exact', 'inferred', 'shared'];

const INSERT = `
  INSERT INTO changes (seq, path, before_mode, before_blob, after_mode, after_blob, origin,
    attribution, session, checkpoint_id, operation_id, tool_call_id, owner, created_at, seal)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ${newSealSql('changes')})`;

const CLOSE = `
  UPDATE changes SET after_mode = ?1, after_blob = ?2, attribution = coalesce(?3, attribution),
    seal = ${sealSql('changes', { after_mode: '?1', after_blob: '?2', attribution: 'coalesce(?3, attribution)' })}
  WHERE seq = ?4 AND after_mode IS NULL
  RETURNING path`;

// CROSS: the changes are looked up, and then what they name.
const SELECT = `
  SELECT changes.seq, heads.path,
    before_mode, old.hash AS before_hash, old.size AS before_size,
    after_mode, new.hash AS after_hash, new.size AS after_size,
    origin, attribution, sessions.id AS session_id, checkpoint_id, operation_id, tool_call_id,
    owner, changes.created_at
  FROM changes
  CROSS JOIN heads ON heads.id = changes.path
  LEFT JOIN blobs AS old ON old.id = before_blob
  LEFT JOIN blobs AS new ON new.id = after_blob
  LEFT JOIN sessions ON sessions.num = session`;

const LISTED_PATHS = `(SELECT id FROM heads WHERE path IN ${LISTED_BYTES})`;
const LISTED_SESSIONS = `(SELECT num FROM sessions WHERE id IN ${LISTED_TEXTS})`;

export function insertChange(connection: Connection, change: Change, blobs: BlobNumbers): void {
  const { seq, before, after, origin, attribution, sessionId, checkpointId } = change;
  const path = followChange(connection, change, blobs);
  connection.run(
    INSERT,
    seq,
    path,
    modeOf(before),
    blobs.of(before),
    after && modeOf(after),
    after && blobs.of(after),
    ORIGINS.indexOf(origin),
    ATTRIBUTIONS.indexOf(attribution),
    sessionId === null ? null : sessionNumber(connection, sessionId),
    checkpointId,
    change.operationId,
    change.toolCallId,
    change.owner,
    change.createdAt,
  );
}

export function closeChange(
  connection: Connection,
  closed: ClosedChange,
  blobs: BlobNumbers,
): void {
  const { seq, after } = closed;
  const attribution = closed.attribution ? ATTRIBUTIONS.indexOf(closed.attribution) : null;
  const values = [modeOf(after), blobs.of(after), attribution, seq] as const;
  const row = connection.get<{ path: number }>(CLOSE, ...values);
  if (row === undefined) {
    throw new SavepointError('argument-invalid', `change ${seq} is not open`);
  }
  followClosing(connection, row.path, closed, blobs);
}

export function listChanges(connection: Connection, query: ChangeQuery): readonly Change[] {
  const { sessionIds, paths, checkpointIds } = query;
  const where = new Conditions();
  // Of open changes there are few, and an index that holds no others.
  if (query.open) where.lead('after_mode IS NULL');
  where.narrow('operation_id', '= ?', query.operationId);
  where.narrow('checkpoint_id', `IN ${LISTED_TEXTS}`, checkpointIds && hexList(checkpointIds));
  where.narrow('changes.path', `IN ${LISTED_PATHS}`, paths && hexList(paths.map(pathToBytes)));
  where.narrow('session', `IN ${LISTED_SESSIONS}`, sessionIds && hexList(sessionIds));
  where.add('changes.seq > ?', query.after);
  const sql = `${SELECT} ${where.sql} ORDER BY changes.seq`;
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
  const { before_mode, before_hash, before_size, after_mode, after_hash, after_size } = row;
  return {
    seq: row.seq,
    path: bytesToPath(row.path) as TrackedPath,
    before: stateFrom(before_mode, before_hash, before_size),
    after: after_mode === null ? null : stateFrom(after_mode, after_hash, after_size),
    origin: ORIGINS[row.origin] as ChangeOrigin,
    attribution: ATTRIBUTIONS[row.attribution] as Attribution,
    sessionId: row.session_id,
    checkpointId: row.checkpoint_id as CheckpointId | null,
    operationId: row.operation_id as OperationId | null,
    toolCallId: row.tool_call_id,
    owner: row.owner,
    createdAt: row.created_at,
  };
}
