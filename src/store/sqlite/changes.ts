import { ATTRIBUTIONS, type Change } from '../../model/change.ts';
import { SavepointError } from '../../model/errors.ts';
import type { CheckpointId } from '../../model/ids.ts';
import { pathToBytes, type TrackedPath } from '../../model/path.ts';
import type { ChangeQuery, ClosedChange, Head } from '../store.ts';
import type { Connection } from './connection.ts';
import type { Numbers } from './numbers.ts';
import { Conditions, hexList, LISTED_BYTES, LISTED_TEXTS } from './parameters.ts';
import { changes, heads } from './schema.ts';
import { sealSql } from './seals.ts';
import { modeOf } from './state-columns.ts';

/** New changes come in order, so the last one of a path is its newest, and its head follows it. */
export function insertChange(numbers: Numbers, change: Change): void {
  const { path, seq, before, after } = change;
  const head = { path, seq, state: after ?? before, open: after === null };
  numbers.knowPath(path, heads.putNumbered(numbers, head, 'id'));
  changes.insert(numbers, change);
}

const CLOSE = `
  UPDATE changes SET after_mode = ?1, after_blob = ?2, attribution = coalesce(?3, attribution),
    seal = ${sealSql('changes', { after_mode: '?1', after_blob: '?2', attribution: 'coalesce(?3, attribution)' })}
  WHERE seq = ?4 AND after_mode IS NULL
  RETURNING path`;

// Where a newer change stands on top already, the head stays that one's.
const CLOSE_HEAD = `
  UPDATE heads SET open = 0, mode = ?1, blob = ?2,
    seal = ${sealSql('heads', { open: '0', mode: '?1', blob: '?2' })}
  WHERE id = ?3 AND seq = ?4`;

export function closeChange(numbers: Numbers, { seq, after, attribution }: ClosedChange): void {
  const { connection } = numbers;
  const state = [modeOf(after), numbers.blob(after)] as const;
  const code = attribution ? ATTRIBUTIONS.indexOf(attribution) : null;
  const row = connection.get<{ path: number }>(CLOSE, ...state, code, seq);
  if (row === undefined) {
    throw new SavepointError('argument-invalid', `change ${seq} is not open`);
  }
  connection.run(CLOSE_HEAD, ...state, row.path, seq);
}

const LISTED_PATHS = `(SELECT id FROM heads WHERE path IN ${LISTED_BYTES})`;
const LISTED_SESSIONS = `(SELECT num FROM sessions WHERE id IN ${LISTED_TEXTS})`;

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
  return changes.list(connection, `${where.sql} ORDER BY changes.seq`, ...where.values);
}

/** A capture asks for a single one, and need not wait for a list to be read. */
export function listHeads(connection: Connection, paths?: readonly TrackedPath[]): Head[] {
  if (paths === undefined) return heads.list(connection, 'ORDER BY path');
  const [only] = paths;
  if (paths.length === 1 && only !== undefined) {
    return heads.list(connection, 'WHERE path = ?', pathToBytes(only));
  }
  const list = hexList(paths.map(pathToBytes));
  return heads.list(connection, `WHERE path IN ${LISTED_BYTES} ORDER BY path`, list);
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
