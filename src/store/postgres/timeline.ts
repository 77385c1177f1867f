import type { Change, CoAuthor } from '../../model/change.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import type { CheckpointId, Seq } from '../../model/ids.ts';
import { pathToBytes, type TrackedPath } from '../../model/path.ts';
import type { ChangedPaths, ChangeQuery, CheckpointQuery, TimelineStore } from '../store.ts';
import { commitBatch } from './commit.ts';
import type { Run, Scope } from './database.ts';
import { readJournal } from './meta.ts';
import { bytesToText, parseStored, type RecordTable, textToBytes } from './record-table.ts';
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

export function timelineStore(run: Run): TimelineStore {
  return { commit: (batch) => run((opened) => commitBatch(opened, batch)), ...timelineReader(run) };
}

/** What can be read of a timeline: of the store's own, or of another worktree's. */
export function timelineReader(run: Run): Omit<TimelineStore, 'commit'> {
  const read = <Result>(work: (scope: Scope) => Promise<Result>) =>
    run(({ database: session, worktree }) => work({ session, worktree }));
  return {
    sessions: (ids) =>
      read((scope) => listByIds(scope, sessions, ids, 'ORDER BY last_active_at DESC, id')),
    checkpoints: (query) => read((scope) => listCheckpoints(scope, query)),
    changedPaths: (ids) => read((scope) => countChangedPaths(scope, ids)),
    heads: (paths) =>
      read((scope) => {
        const where = new Conditions();
        where.add('path = ANY(?::bytea[])', paths?.map(pathToBytes));
        return heads.list(scope, `${where.sql} ORDER BY path`, ...where.values);
      }),
    changes: (query) => read((scope) => listChanges(scope, query)),
    cancellations: (seqs) =>
      read((scope) => {
        const rest = 'AND change_seq = ANY($2::bigint[]) ORDER BY by_seq, change_seq';
        return cancellations.list(scope, rest, seqs);
      }),
    privatePaths: () =>
      read(async (scope) => {
        const rows = await privatePaths.list(scope, 'ORDER BY path');
        return rows.map(({ path }) => path);
      }),
    operations: ({ ids, limit } = {}) =>
      read((scope) => listByIds(scope, operations, ids, 'ORDER BY seq DESC', limit)),
    windows: () => read((scope) => windows.list(scope, 'ORDER BY opened')),
    journal: () => read(readJournal),
    executions: (ids) =>
      read((scope) => listByIds(scope, executions, ids, 'ORDER BY updated_at DESC, num DESC')),
    steps: (executionId, index) =>
      read((scope) => {
        const where = new Conditions();
        where.equals('execution', executionId);
        where.add('step = ?', index);
        return steps.list(scope, `${where.sql} ORDER BY step, attempt`, ...where.values);
      }),
  };
}

/** The conditions of a query after `worktree = $1`. A condition whose value is undefined is left out. */
class Conditions {
  readonly #texts: string[] = [];
  readonly values: unknown[] = [];

  /** A `?` stands for the value. */
  add(text: string, value: unknown): void {
    if (value === undefined) return;
    this.values.push(value);
    this.#texts.push(text.replaceAll('?', `$${this.values.length + 1}`));
  }

  equals(column: string, text: string | undefined): void {
    this.add(`${column} = ?`, text === undefined ? undefined : textToBytes(text));
  }

  among(column: string, texts: readonly string[] | undefined): void {
    this.add(`${column} = ANY(?::bytea[])`, texts?.map(textToBytes));
  }

  /** A condition without a value. */
  always(text: string): void {
    this.#texts.push(text);
  }

  limit(limit: number | undefined): string {
    if (limit === undefined || limit === Number.POSITIVE_INFINITY) return '';
    this.values.push(Math.max(0, limit));
    return `LIMIT $${this.values.length + 1}`;
  }

  get sql(): string {
    return this.#texts.map((text) => `AND ${text}`).join(' ');
  }
}

/** Of all records, or of these. */
function listByIds<Entry extends object>(
  scope: Scope,
  table: RecordTable<Entry>,
  ids: readonly string[] | undefined,
  order: string,
  limit?: number,
): Promise<Entry[]> {
  const where = new Conditions();
  where.among('id', ids);
  const rest = `${where.sql} ${order} ${where.limit(limit)}`;
  return table.list(scope, rest, ...where.values);
}

async function listChanges(scope: Scope, query: ChangeQuery): Promise<readonly Change[]> {
  const { sessionIds, checkpointIds, open } = query;
  const where = new Conditions();
  if (open) where.always('after_mode IS NULL');
  where.among('session', sessionIds);
  where.among('checkpoint_id', checkpointIds);
  addRest(where, query);
  const own = await changes.list(scope, `${where.sql} ORDER BY seq`, ...where.values);
  // An open change belongs to nobody but the call that will end it.
  if (open || (sessionIds === undefined && checkpointIds === undefined)) return own;
  const known = new Set(own.map(({ seq }) => seq));
  const others = await listCoAuthored(scope, query);
  const added = others.filter(({ seq }) => !known.has(seq));
  return added.length === 0 ? own : [...own, ...added].sort((a, b) => a.seq - b.seq);
}

function addRest(where: Conditions, { operationId, paths, after, before }: ChangeQuery): void {
  where.equals('operation_id', operationId);
  where.add('path = ANY(?::bytea[])', paths?.map(pathToBytes));
  where.add('seq > ?', after);
  where.add('seq < ?', before);
}

/**
 * The changes that belong to one of these sessions or checkpoints as well. There are few, in an index of theirs;
 * who they belong to is looked up here, since JSON of PostgreSQL cannot hold NUL.
 */
async function listCoAuthored(scope: Scope, query: ChangeQuery): Promise<readonly Change[]> {
  const where = new Conditions();
  where.always('co_authors IS NOT NULL');
  addRest(where, query);
  const found = await changes.list(scope, where.sql, ...where.values);
  const [wantedSessions, wantedCheckpoints] = [setOf(query.sessionIds), setOf(query.checkpointIds)];
  const isAmong = (wanted: Set<string> | null, authors: readonly (string | null)[]): boolean =>
    wanted === null || authors.some((author) => author !== null && wanted.has(author));
  return found.filter(
    ({ coAuthors }) =>
      isAmong(
        wantedSessions,
        (coAuthors ?? []).map(({ sessionId }) => sessionId),
      ) &&
      isAmong(
        wantedCheckpoints,
        (coAuthors ?? []).map(({ checkpointId }) => checkpointId),
      ),
  );
}

function setOf(ids: readonly string[] | undefined): Set<string> | null {
  return ids === undefined ? null : new Set(ids);
}

// A state that was not recorded is below 0, and may be another one afterwards. An open change is not NULL here.
const IS_CHANGED = `NOT (before_mode >= 0
  AND before_mode IS NOT DISTINCT FROM after_mode AND before_blob IS NOT DISTINCT FROM after_blob)`;
// As `st_mode` has it: 4 for a folder; 0 for nothing, or for the end of an open change.
const OF_FOLDER = `(
  4 IN (before_mode >> 12, coalesce(after_mode, 0) >> 12)
  AND before_mode >> 12 IN (0, 4) AND coalesce(after_mode, 0) >> 12 IN (0, 4))`;

const countedSql = (which: string): string => `
  SELECT seq, path, checkpoint_id, co_authors, ${OF_FOLDER} AS of_folder,
    EXISTS (SELECT 1 FROM cancellations AS c WHERE c.worktree = $1 AND c.change_seq = seq) AS is_cancelled
  FROM changes WHERE worktree = $1 AND ${IS_CHANGED} AND ${which}`;

// In two halves, each with an index of its own: with OR the server reads every change of the worktree.
const COUNTED = `
  ${countedSql('checkpoint_id = ANY($2::bytea[])')}
  UNION ALL
  ${countedSql('co_authors IS NOT NULL AND (checkpoint_id = ANY($2::bytea[])) IS NOT TRUE')}
  ORDER BY seq`;

interface CountedRow {
  readonly seq: Seq;
  readonly path: Buffer;
  readonly checkpoint_id: Uint8Array | null;
  readonly co_authors: string | null;
  readonly of_folder: boolean;
  readonly is_cancelled: boolean;
}

async function countChangedPaths(
  { session, worktree }: Scope,
  ids: readonly CheckpointId[],
): Promise<ReadonlyMap<CheckpointId, ChangedPaths>> {
  const rows = await session.query<CountedRow>(COUNTED, [worktree, ids.map(textToBytes)]);
  const counted = new Map<CheckpointId, CountedRow[]>(ids.map((id) => [id, []]));
  for (const row of rows) for (const id of messagesOf(row)) counted.get(id)?.push(row);
  const some = [...counted].filter(([, found]) => found.length > 0);
  return new Map(some.map(([id, found]) => [id, countsOf(found)]));
}

/** A change counts once for each message that it belongs to. */
function messagesOf({
  checkpoint_id,
  co_authors,
}: Pick<CountedRow, 'checkpoint_id' | 'co_authors'>): CheckpointId[] {
  const own = checkpoint_id === null ? [] : [bytesToText(checkpoint_id) as CheckpointId];
  if (co_authors === null) return own;
  const others = parseStored(co_authors) as readonly CoAuthor[];
  return [...own, ...others.flatMap(({ checkpointId }) => checkpointId ?? [])];
}

function countsOf(rows: readonly CountedRow[]): ChangedPaths {
  const different = (some: readonly CountedRow[]): number =>
    new Set(some.map(({ path }) => path.toString('latin1'))).size;
  return {
    files: different(rows.filter(({ of_folder }) => !of_folder)),
    folders: different(rows.filter(({ of_folder }) => of_folder)),
    changes: rows.length,
    cancelled: rows.filter(({ is_cancelled }) => is_cancelled).map(({ seq }) => seq),
  };
}

// The ids right before and right after each of those asked for.
const BESIDE = `id IN (
  SELECT near.id FROM unnest(?::bytea[]) AS asked(id) CROSS JOIN LATERAL (
    (SELECT id FROM checkpoints WHERE worktree = $1 AND id < asked.id ORDER BY id DESC LIMIT 1)
    UNION ALL
    (SELECT id FROM checkpoints WHERE worktree = $1 AND id > asked.id ORDER BY id LIMIT 1)) AS near)`;

async function listCheckpoints(
  scope: Scope,
  query: CheckpointQuery,
): Promise<readonly Checkpoint[]> {
  const { prefix, importedAt, path } = query;
  const where = new Conditions();
  where.among('id', query.ids);
  where.equals('message_id', query.messageId);
  where.among('session_id', query.sessionIds);
  where.add('kind = ANY(?::text[])', query.kinds);
  where.add('seq < ?', query.before);
  where.add('created_at >= ?', query.since);
  if (importedAt === null) where.always('imported_at IS NULL');
  else where.add('imported_at = ?', importedAt);
  if (path !== undefined) where.among('id', await changedUnder(scope, path));
  where.add(BESIDE, query.beside?.map(textToBytes));
  if (prefix) {
    where.add('id >= ?', textToBytes(prefix));
    where.add('id < ?', firstPast(prefix));
  }
  if (query.labelled) where.always('label IS NOT NULL');
  const order = query.oldestFirst ? 'ASC' : 'DESC';
  const rest = `${where.sql} ORDER BY seq ${order} ${where.limit(query.limit)}`;
  return checkpoints.list(scope, rest, ...where.values);
}

// The path itself, or anything from "path/" up to but not "path0", the next sign after the slash.
const CHANGED_UNDER = `
  SELECT DISTINCT checkpoint_id, co_authors FROM changes
  WHERE worktree = $1 AND ${IS_CHANGED} AND (path = $2 OR (path > $3 AND path < $4))`;

async function changedUnder(
  { session, worktree }: Scope,
  path: TrackedPath,
): Promise<CheckpointId[]> {
  const range = [path, `${path}/`, `${path}0`].map((one) => pathToBytes(one as TrackedPath));
  const rows = await session.query<CountedRow>(CHANGED_UNDER, [worktree, ...range]);
  return rows.flatMap(messagesOf);
}

/** The smallest bytes above everything that starts with `prefix`. UTF-8 has no byte 255 to overflow. */
function firstPast(prefix: string): Uint8Array {
  const bytes = Buffer.from(prefix);
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) + 1;
  return bytes;
}
