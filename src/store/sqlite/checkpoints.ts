import type { Checkpoint } from '../../model/checkpoint.ts';
import { pathToBytes, type TrackedPath } from '../../model/path.ts';
import type { CheckpointQuery } from '../store.ts';
import type { Connection } from './connection.ts';
import { Conditions, hexList, limitOf } from './parameters.ts';
import { checkpoints } from './schema.ts';

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

// The ids right before and right after each of those asked for. A list waits for this.
const BESIDE = `(
  WITH asked AS (SELECT CAST(unhex(value) AS TEXT) AS id FROM json_each(?))
  SELECT (SELECT max(id) FROM checkpoints WHERE id < asked.id) FROM asked
  UNION SELECT (SELECT min(id) FROM checkpoints WHERE id > asked.id) FROM asked)`;

export function listCheckpoints(
  connection: Connection,
  query: CheckpointQuery,
): readonly Checkpoint[] {
  const { ids, prefix, beside, path } = query;
  const where = new Conditions();
  where.among('id', ids);
  // Of a message there are few checkpoints, of a session there may be many.
  where.narrow('message_id', '= ?', query.messageId);
  where.among('session_id', query.sessionIds);
  where.among('kind', query.kinds);
  where.add('seq < ?', query.before);
  where.add('created_at >= ?', query.since);
  where.add(`id IN ${CHANGED_UNDER}`, path && hexList(rangeOf(path)));
  where.add(`id IN ${BESIDE}`, beside && hexList(beside));
  // LIKE and GLOB stop at NUL and give signs a meaning; a range of bytes does neither.
  where.add('id >= ?', prefix);
  where.add('id < CAST(? AS TEXT)', prefix ? firstPast(prefix) : undefined);
  if (query.labelled) where.lead('label IS NOT NULL');
  const order = query.oldestFirst ? 'ASC' : 'DESC';
  const rest = `${where.sql} ORDER BY seq ${order} LIMIT ?`;
  return checkpoints.list(connection, rest, ...where.values, limitOf(query.limit));
}

/** The smallest bytes above everything that starts with `prefix`. UTF-8 has no byte 255 to overflow. */
function firstPast(prefix: string): Uint8Array {
  const bytes = Buffer.from(prefix);
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) + 1;
  return bytes;
}
