import type { Change, CoAuthor } from '../../model/change.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import type { CheckpointId, Seq } from '../../model/ids.ts';
import { pathToBytes, type TrackedPath } from '../../model/path.ts';
import type { ChangedPaths, ChangeQuery, CheckpointQuery, Head, TimelineStore } from '../store.ts';
import { commitBatch } from './commit.ts';
import {
  Conditions,
  type Connection,
  hexList,
  LIMIT,
  LISTED_BYTES,
  LISTED_NUMBERS,
  LISTED_TEXTS,
  limitOf,
} from './connection.ts';
import type { Run } from './layout.ts';
import { whenFree } from './lock.ts';
import { readSealedJournal } from './meta.ts';
import type { RowTable } from './row-table.ts';
import {
  cancellations,
  changes,
  checkpoints,
  executions,
  heads,
  operations,
  privatePaths,
  sessions,
  steps,
  windows,
} from './schema.ts';

// Only documents are written by others meanwhile, each within a fraction of a millisecond.
const COMMIT_TIMEOUT_MS = 5_000;

export function timelineStore(run: Run): TimelineStore {
  return {
    commit: (batch) =>
      run((opened) => {
        const waiting = { wanted: 'the database', timeoutMs: COMMIT_TIMEOUT_MS, pauseMs: 2 };
        return whenFree(() => commitBatch(opened, batch), waiting);
      }),
    sessions: (ids) =>
      run(({ connection }) =>
        listByIds(connection, sessions, ids, 'ORDER BY last_active_at DESC, sessions.id'),
      ),
    checkpoints: (query) => run(({ connection }) => listCheckpoints(connection, query)),
    changedPaths: (ids) => run(({ connection }) => countChangedPaths(connection, ids)),
    heads: (paths) => run(({ connection }) => listHeads(connection, paths)),
    changes: (query) => run(({ connection }) => listChanges(connection, query)),
    cancellations: (changes) =>
      run(({ connection }) => {
        const rest = `WHERE change_seq IN ${LISTED_NUMBERS} ORDER BY by_seq, change_seq`;
        return cancellations.list(connection, rest, JSON.stringify(changes));
      }),
    privatePaths: () =>
      run(({ connection }) =>
        privatePaths.list(connection, 'ORDER BY path').map(({ path }) => path),
      ),
    operations: ({ ids, limit } = {}) =>
      run(({ connection }) =>
        listByIds(connection, operations, ids, `ORDER BY seq DESC ${LIMIT}`, limitOf(limit)),
      ),
    windows: () => run(({ connection }) => windows.list(connection, 'ORDER BY opened')),
    journal: () => run(({ connection }) => readSealedJournal(connection)),
    executions: (ids) =>
      run(({ connection }) =>
        listByIds(connection, executions, ids, 'ORDER BY updated_at DESC, num DESC'),
      ),
    steps: (executionId, index) =>
      run(({ connection }) => {
        const where = new Conditions();
        where.add('executions.id = ?', executionId);
        where.add('step = ?', index);
        return steps.list(connection, `${where.sql} ORDER BY step, attempt`, ...where.values);
      }),
  };
}

/** Of all records, or of these. */
function listByIds<Entry extends object>(
  connection: Connection,
  table: RowTable<Entry>,
  ids: readonly string[] | undefined,
  rest: string,
  ...values: number[]
): Entry[] {
  const where = new Conditions();
  where.among('id', ids);
  return table.list(connection, `${where.sql} ${rest}`, ...where.values, ...values);
}

const LISTED_PATHS = `(SELECT id FROM heads WHERE path IN ${LISTED_BYTES})`;
const NEWEST_OF_PATHS = `(SELECT seq FROM heads WHERE path IN ${LISTED_BYTES})`;
const LISTED_SESSIONS = `(SELECT num FROM sessions WHERE id IN ${LISTED_TEXTS})`;

function listChanges(connection: Connection, query: ChangeQuery): readonly Change[] {
  const own = listOwnChanges(connection, query);
  const { sessionIds, checkpointIds, open } = query;
  // An open change belongs to nobody but the call that will end it.
  if (open || (sessionIds === undefined && checkpointIds === undefined)) return own;
  const known = new Set(own.map(({ seq }) => seq));
  const others = listCoAuthored(connection, query).filter(({ seq }) => !known.has(seq));
  return others.length === 0 ? own : [...own, ...others].sort((a, b) => a.seq - b.seq);
}

const CO_AUTHORED = (field: keyof CoAuthor): string => `EXISTS (
  SELECT 1 FROM json_each(co_authors) AS one WHERE one.value ->> '${field}' IN ${LISTED_TEXTS})`;

/** The changes that belong to one of these sessions or checkpoints as well. There are few, in an index of theirs. */
function listCoAuthored(connection: Connection, query: ChangeQuery): readonly Change[] {
  const { sessionIds, paths, checkpointIds } = query;
  const where = new Conditions();
  where.lead('co_authors IS NOT NULL');
  where.add('operation_id = ?', query.operationId);
  where.narrow('changes.path', `IN ${LISTED_PATHS}`, paths && hexList(paths.map(pathToBytes)));
  where.add('changes.seq > ?', query.after);
  where.add('changes.seq < ?', query.before);
  where.add(CO_AUTHORED('checkpointId'), checkpointIds && hexList(checkpointIds));
  where.add(CO_AUTHORED('sessionId'), sessionIds && hexList(sessionIds));
  return changes.list(connection, `${where.sql} ORDER BY changes.seq`, ...where.values);
}

function listOwnChanges(connection: Connection, query: ChangeQuery): readonly Change[] {
  const { sessionIds, paths, checkpointIds } = query;
  const where = new Conditions();
  const listed = paths && hexList(paths.map(pathToBytes));
  // An open change is the newest of its path.
  if (query.open) where.narrow('changes.seq', `IN ${NEWEST_OF_PATHS}`, listed);
  // Of open changes there are few, and an index that holds no others.
  if (query.open) where.lead('after_mode IS NULL');
  where.narrow('operation_id', '= ?', query.operationId);
  where.narrow('checkpoint_id', `IN ${LISTED_TEXTS}`, checkpointIds && hexList(checkpointIds));
  if (!query.open) where.narrow('changes.path', `IN ${LISTED_PATHS}`, listed);
  where.narrow('session', `IN ${LISTED_SESSIONS}`, sessionIds && hexList(sessionIds));
  where.add('changes.seq > ?', query.after);
  where.add('changes.seq < ?', query.before);
  return changes.list(connection, `${where.sql} ORDER BY changes.seq`, ...where.values);
}

/** A capture asks for a single one, and need not wait for a list to be read. */
function listHeads(connection: Connection, paths?: readonly TrackedPath[]): Head[] {
  if (paths === undefined) return heads.list(connection, 'ORDER BY path');
  const [only] = paths;
  if (paths.length === 1 && only !== undefined) {
    return heads.list(connection, 'WHERE path = ?', pathToBytes(only));
  }
  const list = hexList(paths.map(pathToBytes));
  return heads.list(connection, `WHERE path IN ${LISTED_BYTES} ORDER BY path`, list);
}

// A state that was not recorded is below 0, and may be another one afterwards. An open change is not NULL here.
const LEFT_AS_IT_WAS = `(
  before_mode >= 0 AND before_mode IS after_mode AND before_blob IS after_blob)`;
// As `st_mode` has it: 4 for a folder; 0 for nothing, or for the end of an open change.
const OF_FOLDER = `(
  4 IN (before_mode >> 12, ifnull(after_mode, 0) >> 12)
  AND before_mode >> 12 IN (0, 4) AND ifnull(after_mode, 0) >> 12 IN (0, 4))`;

interface CountedRow extends Omit<ChangedPaths, 'cancelled'> {
  readonly id: CheckpointId;
  readonly cancelled: string;
}

const IS_CANCELLED = 'EXISTS (SELECT 1 FROM cancellations WHERE change_seq = changes.seq)';

// A change once for each message that it belongs to.
const WITH_CO_AUTHORED = [
  `(SELECT checkpoint_id AS message, changes.* FROM changes UNION ALL
    SELECT one.value ->> 'checkpointId', changes.* FROM changes, json_each(co_authors) AS one
    WHERE co_authors IS NOT NULL) AS changes`,
  'message',
] as const;

function countChangedPaths(
  connection: Connection,
  ids: readonly CheckpointId[],
): ReadonlyMap<CheckpointId, ChangedPaths> {
  const some = connection.get('SELECT 1 FROM changes WHERE co_authors IS NOT NULL LIMIT 1');
  const [from, id] =
    some === undefined ? (['changes', 'checkpoint_id'] as const) : WITH_CO_AUTHORED;
  const sql = `
    SELECT ${id} AS id, count(*) AS changes,
      count(DISTINCT CASE WHEN ${OF_FOLDER} THEN NULL ELSE path END) AS files,
      count(DISTINCT CASE WHEN ${OF_FOLDER} THEN path END) AS folders,
      json_group_array(seq) FILTER (WHERE ${IS_CANCELLED}) AS cancelled
    FROM ${from}
    WHERE ${id} IN ${LISTED_TEXTS} AND NOT ${LEFT_AS_IT_WAS} GROUP BY ${id}`;
  const rows = connection.all<CountedRow>(sql, hexList(ids));
  return new Map(
    rows.map(({ id, cancelled, ...counts }) => [
      id,
      { ...counts, cancelled: JSON.parse(cancelled) as Seq[] },
    ]),
  );
}

// The path itself, or anything from "path/" up to but not "path0", the next sign after the slash.
const CHANGED_UNDER = `(
  WITH range AS (
    SELECT unhex(value ->> 0) AS path, unhex(value ->> 1) AS low, unhex(value ->> 2) AS high
    FROM (SELECT ? AS value)),
  found AS (
    SELECT checkpoint_id, co_authors FROM changes WHERE NOT ${LEFT_AS_IT_WAS} AND path IN (
      SELECT id FROM heads, range WHERE heads.path = range.path
      UNION SELECT id FROM heads, range WHERE heads.path > range.low AND heads.path < range.high))
  SELECT checkpoint_id FROM found
  UNION SELECT one.value ->> 'checkpointId' FROM found, json_each(co_authors) AS one)`;

function rangeOf(path: TrackedPath): Uint8Array[] {
  return [path, `${path}/`, `${path}0`].map(pathToBytes);
}

// The ids right before and right after each of those asked for. A list waits for this.
const BESIDE = `(
  WITH asked AS (SELECT CAST(unhex(value) AS TEXT) AS id FROM json_each(?))
  SELECT (SELECT max(id) FROM checkpoints WHERE id < asked.id) FROM asked
  UNION SELECT (SELECT min(id) FROM checkpoints WHERE id > asked.id) FROM asked)`;

function listCheckpoints(connection: Connection, query: CheckpointQuery): readonly Checkpoint[] {
  const { ids, prefix, beside, path } = query;
  const where = new Conditions();
  where.among('id', ids);
  // Of a message there are few checkpoints, of a session there may be many.
  where.narrow('message_id', '= ?', query.messageId);
  where.among('session_id', query.sessionIds);
  where.among('kind', query.kinds);
  where.add('seq < ?', query.before);
  where.add('created_at >= ?', query.since);
  where.add('imported_at IS ?', query.importedAt);
  where.add(`id IN ${CHANGED_UNDER}`, path && hexList(rangeOf(path)));
  where.add(`id IN ${BESIDE}`, beside && hexList(beside));
  // LIKE and GLOB stop at NUL and give signs a meaning; a range of bytes does neither.
  where.add('id >= ?', prefix);
  where.add('id < CAST(? AS TEXT)', prefix ? firstPast(prefix) : undefined);
  if (query.labelled) where.lead('label IS NOT NULL');
  const order = query.oldestFirst ? 'ASC' : 'DESC';
  const rest = `${where.sql} ORDER BY seq ${order} ${LIMIT}`;
  return checkpoints.list(connection, rest, ...where.values, limitOf(query.limit));
}

/** The smallest bytes above everything that starts with `prefix`. UTF-8 has no byte 255 to overflow. */
function firstPast(prefix: string): Uint8Array {
  const bytes = Buffer.from(prefix);
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) + 1;
  return bytes;
}
