import { randomUUID } from 'node:crypto';
import { SavepointError } from '../../model/errors.ts';
import type { PartId, Seq } from '../../model/ids.ts';
import type { TrackedPath } from '../../model/path.ts';
import type { Window } from '../../model/window.ts';
import {
  checkWindow,
  newestSeq,
  noSuchChange,
  notOpen,
  requireSameSeq,
  requireToken,
  usedNumber,
} from '../batch-rules.ts';
import type { Batch, Head } from '../store.ts';
import { putBlobs } from './blobs.ts';
import { type Opened, type Scope, together, UncertainCommit, type Writing } from './database.ts';
import { lockTimeout, whileContentsStay } from './documents.ts';
import { writeBaseline, writeJournal } from './meta.ts';
import { putParts } from './parts.ts';
import { type RecordTable, textToBytes } from './record-table.ts';
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

// Only a prune is in the way of somebody who holds the project lock.
const COMMIT_TIMEOUT_MS = 30_000;

/** One transaction. The row of the worktree is locked in it, so that of two writers one comes first. */
export async function commitBatch(opened: Opened, batch: Batch): Promise<void> {
  const { database, schema, project, worktree } = opened;
  const first = whileContentsStay(schema, project, COMMIT_TIMEOUT_MS);
  const id = randomUUID();
  let last: string | null = null;
  try {
    await database.transactionAfter(first, async (session) => {
      const scope = { session, worktree };
      // What is written before the answers are there is taken back where they are bad.
      [last] = await together(
        requireBase(scope, batch.base, opened.fence()),
        requireHolder(scope, batch.fence),
        putContents(session, project, batch),
        writeRows(scope, batch),
      );
      await removeRows(scope, batch);
      session.send(MOVE_ON, [worktree, batch.carried?.seq ?? newestSeq(batch), id]);
    });
  } catch (error) {
    if (!(error instanceof UncertainCommit)) throw error;
    if (!(await isOnRecord(opened, id, last, error))) throw notRecorded();
  }
}

const MOVE_ON = `
  UPDATE worktrees SET seq = $2, last_commit = $3,
    active_at = (extract(epoch FROM clock_timestamp()) * 1000)::bigint
  WHERE id = $1`;

/** Blobs first, as everywhere: writers that wait for each other have to come in one order. */
async function putContents(session: Writing, project: number, batch: Batch): Promise<void> {
  await putBlobs(session, project, { ...batch, isNamed: true });
  await putParts(session, project, batch.parts ?? [], partsNamedBy(batch));
}

/**
 * Whether a commit whose answer was lost is on record. The row waits for the end of the transaction, which may still
 * be under way. Throws `uncertain` where the server does not answer, or somebody else has committed since.
 */
async function isOnRecord(
  { database, worktree }: Opened,
  id: string,
  before: string | null,
  uncertain: UncertainCommit,
): Promise<boolean> {
  const sql = 'SELECT last_commit FROM worktrees WHERE id = $1 FOR NO KEY UPDATE';
  const look = (session: Writing): Promise<{ last_commit: string | null }[]> =>
    session.query(sql, [worktree]);
  const first = lockTimeout(COMMIT_TIMEOUT_MS);
  const rows = await database.transactionAfter(first, look).catch(() => []);
  const last = rows[0]?.last_commit;
  if (last === id) return true;
  if (last === before) return false;
  throw uncertain;
}

function notRecorded(): SavepointError {
  const message = 'the database server went away, and nothing of this is on record';
  return new SavepointError('store-unreachable', message, { hint: 'try again' });
}

interface WorktreeRow {
  readonly seq: number;
  readonly fence: number;
  readonly last_commit: string | null;
}

/**
 * The id of the last commit. Throws `store-moved-on`. A lock that belongs to a connection can be lost without a word, and another writer can
 * have come since, even one that handed out no number: its token is the newer one.
 */
async function requireBase(
  { session, worktree }: Scope,
  base: Seq,
  fence: number | null,
): Promise<string | null> {
  const sql = 'SELECT seq, fence, last_commit FROM worktrees WHERE id = $1 FOR NO KEY UPDATE';
  const [row] = await session.query<WorktreeRow>(sql, [worktree]);
  if (row === undefined) {
    throw new SavepointError('store-corrupt', 'the store has lost its sequence number');
  }
  if (fence !== null && row.fence !== fence) {
    const message = 'the project lock was lost with its connection, and another writer has it';
    throw new SavepointError('store-moved-on', message, { hint: 'nothing was written; try again' });
  }
  requireSameSeq(row.seq, base);
  return row.last_commit;
}

/** Throws `execution-lost`. */
async function requireHolder(scope: Scope, fence: Batch['fence']): Promise<void> {
  if (fence === undefined) return;
  const [found] = await executions.list(scope, 'AND id = $2', textToBytes(fence.executionId));
  requireToken(found?.token, fence);
}

async function writeRows(scope: Scope<Writing>, batch: Batch): Promise<void> {
  // Rows of another store keep their numbers.
  const base = batch.carried === undefined ? batch.base : 0;
  await sessions.put(scope, batch.sessions ?? []);
  await putNumbered(scope, checkpoints, batch.checkpoints ?? [], base);
  await writeChanges(scope, { ...batch, base });
  await closeChanges(scope, batch.closed ?? []);
  await doubtChanges(scope, batch.doubted ?? []);
  await cancellations.put(scope, batch.cancellations ?? []);
  const paths = (batch.privatePaths ?? []).map((path) => ({ path }));
  await privatePaths.put(scope, paths);
  await putNumbered(scope, operations, batch.operations ?? [], base);
  await putWindows(scope, batch.windows ?? [], base);
  if (batch.baseline !== undefined) await writeBaseline(scope, batch.baseline);
  if (batch.journal !== undefined) await writeJournal(scope, batch.journal);
  await executions.put(scope, batch.executions ?? []);
  await steps.put(scope, batch.steps ?? []);
  await heads.put(scope, batch.carried?.heads ?? []);
}

function partsNamedBy({ executions = [], steps = [] }: Batch): PartId[] {
  const named = [...executions, ...steps].map(({ root }) => root);
  return [...named, ...steps.map(({ result }) => result)].filter((id) => id !== null);
}

/** New records have new numbers; one with an old number must be there to be replaced. */
async function putNumbered<Entry extends { readonly id: string; readonly seq: Seq }>(
  scope: Scope<Writing>,
  table: RecordTable<Entry>,
  entries: readonly Entry[],
  base: Seq,
): Promise<void> {
  const old = entries.filter(({ seq }) => seq <= base);
  if (old.length > 0) {
    const ids = old.map(({ id }) => textToBytes(id));
    const found = await table.list(scope, 'AND id = ANY($2::bytea[])', ids);
    const numbers = new Map(found.map(({ id, seq }) => [id, seq]));
    for (const { id, seq } of old) if (numbers.get(id) !== seq) throw usedNumber(seq);
  }
  await table.put(scope, entries);
}

/** New changes come in order, so the last one of a path is its newest, and its head follows it. */
async function writeChanges(
  scope: Scope<Writing>,
  { base, changes: given = [] }: Batch,
): Promise<void> {
  let newest = base;
  const followed = new Map<TrackedPath, Head>();
  for (const { seq, path, before, after } of given) {
    if (seq <= newest) throw usedNumber(seq);
    newest = seq;
    followed.set(path, { path, seq, state: after ?? before, open: after === null });
  }
  await heads.put(scope, [...followed.values()]);
  await changes.put(scope, given);
}

const WITH_NUMBERS = 'AND seq = ANY($2::bigint[])';

async function closeChanges(
  scope: Scope<Writing>,
  closed: NonNullable<Batch['closed']>,
): Promise<void> {
  if (closed.length === 0) return;
  const seqs = closed.map(({ seq }) => seq);
  const known = await changes.list(scope, WITH_NUMBERS, seqs);
  const open = new Map(known.filter(({ after }) => after === null).map((one) => [one.seq, one]));
  const ended = closed.map(({ seq, after, attribution }) => {
    const change = open.get(seq);
    if (change === undefined) throw notOpen(seq);
    open.delete(seq);
    return { ...change, after, attribution: attribution ?? change.attribution };
  });
  await changes.put(scope, ended);
  // Where a newer change stands on top already, the head stays that one's.
  const after = new Map(ended.map((change) => [change.seq, change.after]));
  const followed = ({ seq, state }: Head) => ({ state: after.get(seq) ?? state, open: false });
  await heads.rewrite(scope, WITH_NUMBERS, seqs, followed);
}

async function doubtChanges(scope: Scope<Writing>, doubted: readonly Seq[]): Promise<void> {
  if (doubted.length === 0) return;
  const shared = () => ({ attribution: 'shared' }) as const;
  const known = await changes.rewrite(scope, WITH_NUMBERS, doubted, shared);
  const found = new Set(known.map(({ seq }) => seq));
  const lost = doubted.find((seq) => !found.has(seq));
  if (lost !== undefined) throw noSuchChange(lost);
}

async function putWindows(
  scope: Scope<Writing>,
  given: readonly Window[],
  base: Seq,
): Promise<void> {
  if (given.length === 0) return;
  const ids = given.map(({ id }) => textToBytes(id));
  const found = await windows.list(scope, 'AND id = ANY($2::bytea[])', ids);
  const known = new Map(found.map((window) => [window.id, window]));
  for (const window of given) {
    checkWindow(window, known.get(window.id) ?? null, base);
    known.set(window.id, window);
  }
  await windows.put(scope, given);
}

async function removeRows(scope: Scope<Writing>, batch: Batch): Promise<void> {
  await remove(scope, checkpoints, batch.removedCheckpoints ?? []);
  await freeOfSessions(scope, batch.removedSessions ?? []);
  await remove(scope, sessions, batch.removedSessions ?? []);
  await remove(scope, operations, batch.removedOperations ?? []);
  await remove(scope, windows, batch.removedWindows ?? []);
  await remove(scope, executions, batch.removedExecutions ?? []);
}

/** Foreign keys take along what belongs to a session or an execution. */
async function remove<Entry extends object>(
  { session, worktree }: Scope<Writing>,
  { name }: RecordTable<Entry>,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const sql = `DELETE FROM ${name} WHERE worktree = $1 AND id = ANY($2::bytea[])`;
  session.send(sql, [worktree, ids.map(textToBytes)]);
}

const DROP_STEPS = `
  DELETE FROM steps USING executions
  WHERE steps.worktree = $1 AND executions.worktree = $1 AND steps.execution = executions.id
    AND executions.session_id = ANY($2::bytea[])`;

/** Changes stay without their session, executions as `removed` with the next token. */
async function freeOfSessions(scope: Scope<Writing>, removed: readonly string[]): Promise<void> {
  if (removed.length === 0) return;
  const ids = removed.map(textToBytes);
  const ofThese = 'AND session = ANY($2::bytea[])';
  await changes.rewrite(scope, ofThese, ids, () => ({ sessionId: null }));
  scope.session.send(DROP_STEPS, [scope.worktree, ids]);
  const left = "AND session_id = ANY($2::bytea[]) AND status <> 'removed'";
  await executions.rewrite(scope, left, ids, ({ token }) => ({
    status: 'removed',
    token: token + 1,
    owner: null,
    leaseUntil: null,
  }));
}
