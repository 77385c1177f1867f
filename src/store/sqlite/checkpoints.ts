import type { Checkpoint, CheckpointKind, Coverage } from '../../model/checkpoint.ts';
import type { CheckpointId, Seq } from '../../model/ids.ts';
import { pathToBytes, type TrackedPath } from '../../model/path.ts';
import type { CheckpointQuery } from '../store.ts';
import type { Connection } from './connection.ts';
import { Conditions, hexList, limitOf } from './parameters.ts';
import { newSealSql } from './seals.ts';

interface CheckpointRow {
  readonly seq: number;
  readonly id: string;
  readonly session_id: string | null;
  readonly message_id: string | null;
  readonly kind: string;
  readonly description: string;
  readonly label: string | null;
  readonly created_at: number;
  readonly git_head: string | null;
  readonly coverage: string;
}

const PUT = `
  INSERT INTO checkpoints
    (seq, id, session_id, message_id, kind, description, label, created_at, git_head, coverage, seal)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ${newSealSql('checkpoints')})
  ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, session_id = excluded.session_id,
    message_id = excluded.message_id, kind = excluded.kind, description = excluded.description,
    label = excluded.label, created_at = excluded.created_at, git_head = excluded.git_head,
    coverage = excluded.coverage, seal = excluded.seal`;

export function putCheckpoint(connection: Connection, checkpoint: Checkpoint): void {
  connection.run(
    PUT,
    checkpoint.seq,
    checkpoint.id,
    checkpoint.sessionId,
    checkpoint.messageId,
    checkpoint.kind,
    checkpoint.description,
    checkpoint.label,
    checkpoint.createdAt,
    checkpoint.gitHead,
    checkpoint.coverage,
  );
}

export function removeCheckpoint(connection: Connection, id: CheckpointId): void {
  connection.run('DELETE FROM checkpoints WHERE id = ?', id);
}

export function findCheckpoint(connection: Connection, id: CheckpointId): Checkpoint | null {
  const row = connection.get<CheckpointRow>('SELECT * FROM checkpoints WHERE id = ?', id);
  return row === undefined ? null : toCheckpoint(row);
}

// The path itself, or anything from "path/" up to but not "path0", the next sign after the slash.
const CHANGED_UNDER = `(
  WITH range AS (
    SELECT unhex(value ->> 0) AS path, unhex(value ->> 1) AS low, unhex(value ->> 2) AS high
    FROM (SELECT ? AS value))
  SELECT checkpoint_id FROM changes WHERE path IN (
    SELECT id FROM heads, range WHERE heads.path = range.path
    UNION SELECT id FROM heads, range WHERE heads.path > range.low AND heads.path < range.high))`;

function rangeOf(path: TrackedPath): Uint8Array[] {
  return [path, `${path}/`, `${path}0`].map(pathToBytes);
}

export function listCheckpoints(
  connection: Connection,
  query: CheckpointQuery,
): readonly Checkpoint[] {
  const where = new Conditions();
  // Of a message there are few checkpoints, of a session there may be many.
  where.narrow('message_id', '= ?', query.messageId);
  where.among('session_id', query.sessionIds);
  where.among('kind', query.kinds);
  where.add('seq < ?', query.before);
  where.add('created_at >= ?', query.since);
  where.add(`id IN ${CHANGED_UNDER}`, query.path && hexList(rangeOf(query.path)));
  if (query.labelled) where.lead('label IS NOT NULL');
  const sql = `SELECT * FROM checkpoints ${where.sql} ORDER BY seq DESC LIMIT ?`;
  return connection
    .all<CheckpointRow>(sql, ...where.values, limitOf(query.limit))
    .map(toCheckpoint);
}

export function listCheckpointsByPrefix(
  connection: Connection,
  prefix: string,
  limit: number,
): readonly Checkpoint[] {
  const where = new Conditions();
  where.add('id >= ?', prefix);
  // LIKE and GLOB stop at NUL and give signs a meaning; a range of bytes does neither.
  if (prefix !== '') where.add('id < CAST(? AS TEXT)', firstPast(prefix));
  const sql = `SELECT * FROM checkpoints ${where.sql} ORDER BY seq DESC LIMIT ?`;
  return connection.all<CheckpointRow>(sql, ...where.values, limitOf(limit)).map(toCheckpoint);
}

// One statement for all of them: a list waits for this.
const BESIDE = `
  WITH asked AS (SELECT CAST(unhex(value) AS TEXT) AS id FROM json_each(?))
  SELECT id, (SELECT max(id) FROM checkpoints WHERE id < asked.id) AS below,
    (SELECT min(id) FROM checkpoints WHERE id > asked.id) AS above
  FROM asked`;

export function listIdsBeside(
  connection: Connection,
  ids: readonly CheckpointId[],
): ReadonlyMap<CheckpointId, readonly string[]> {
  interface Row {
    readonly id: string;
    readonly below: string | null;
    readonly above: string | null;
  }
  const rows = connection.all<Row>(BESIDE, hexList(ids));
  return new Map(
    rows.map(({ id, below, above }) => [
      id as CheckpointId,
      [below, above].flatMap((other) => other ?? []),
    ]),
  );
}

export function oldestCheckpointSeq(connection: Connection): Seq | null {
  const row = connection.get<{ seq: number | null }>('SELECT min(seq) AS seq FROM checkpoints');
  return row?.seq ?? null;
}

/** The smallest bytes above everything that starts with `prefix`. UTF-8 has no byte 255 to overflow. */
function firstPast(prefix: string): Uint8Array {
  const bytes = Buffer.from(prefix);
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) + 1;
  return bytes;
}

function toCheckpoint(row: CheckpointRow): Checkpoint {
  return {
    id: row.id as CheckpointId,
    seq: row.seq,
    sessionId: row.session_id,
    messageId: row.message_id,
    kind: row.kind as CheckpointKind,
    description: row.description,
    label: row.label,
    createdAt: row.created_at,
    gitHead: row.git_head,
    coverage: row.coverage as Coverage,
  };
}
