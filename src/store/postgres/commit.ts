import { SavepointError } from '../../model/errors.ts';
import type { PartId, Seq } from '../../model/ids.ts';
import type { TrackedPath } from '../../model/path.ts';
import type { Window } from '../../model/window.ts';
import type { Batch, Head } from '../store.ts';
import { putBlobs, putReferences } from './blobs.ts';
import type { Session, Writing } from './database.ts';
import { whilePartsStay } from './documents.ts';
import { writeBaseline, writeJournal } from './meta.ts';
import type { Opened } from './opened.ts';
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

/** One transaction. The row of the project is locked in it, so that of two writers one comes first. */
export async function commitBatch(opened: Opened, batch: Batch): Promise<void> {
  const { database, schema, project } = opened;
  const fence = opened.fence();
  const first = whilePartsStay(schema, project, COMMIT_TIMEOUT_MS);
  await database.transaction(
    async (session) => {
      await requireBase(session, project, batch.base, fence);
      if (batch.fence !== undefined) await requireHolder(session, project, batch.fence);
      await putBlobs(session, project, batch.blobs ?? [], true);
      await putReferences(session, project, batch.references ?? []);
      await writeRows(session, project, batch);
      await removeRows(session, project, batch);
    },
    { first },
  );
}

/**
 * Throws `store-moved-on`. A lock that belongs to a connection can be lost without a word, and another writer can
 * have come since, even one that handed out no number: its token is the newer one.
 */
async function requireBase(
  session: Session,
  project: number,
  base: Seq,
  fence: number | null,
): Promise<void> {
  const sql = 'SELECT seq, fence FROM projects WHERE id = $1 FOR NO KEY UPDATE';
  const [row] = await session.query<{ seq: number; fence: number }>(sql, [project]);
  if (row === undefined) {
    throw new SavepointError('store-corrupt', 'the store has lost its sequence number');
  }
  if (fence !== null && row.fence !== fence) {
    const message = 'the project lock was lost with its connection, and another writer has it';
    throw new SavepointError('store-moved-on', message, { hint: 'nothing was written; try again' });
  }
  if (row.seq === base) return;
  throw new SavepointError('store-moved-on', `the timeline is at ${row.seq}, not at ${base}`, {
    hint: 'take the project lock before reading what a batch is made from',
  });
}

/** Throws `execution-lost`. */
async function requireHolder(
  session: Session,
  project: number,
  { executionId, token }: NonNullable<Batch['fence']>,
): Promise<void> {
  const [found] = await executions.list(session, project, 'AND id = $2', textToBytes(executionId));
  if (found?.token === token) return;
  const message = `execution ${executionId} was taken over, or given back`;
  throw new SavepointError('execution-lost', message);
}

async function writeRows(session: Writing, project: number, batch: Batch): Promise<void> {
  const { base } = batch;
  await sessions.put(session, project, batch.sessions ?? []);
  await putNumbered(session, project, checkpoints, batch.checkpoints ?? [], base);
  await writeChanges(session, project, batch);
  await closeChanges(session, project, batch.closed ?? []);
  await doubtChanges(session, project, batch.doubted ?? []);
  await cancellations.put(session, project, batch.cancellations ?? []);
  const paths = (batch.privatePaths ?? []).map((path) => ({ path }));
  await privatePaths.put(session, project, paths);
  await putNumbered(session, project, operations, batch.operations ?? [], base);
  await putWindows(session, project, batch.windows ?? [], base);
  if (batch.baseline !== undefined) await writeBaseline(session, project, batch.baseline);
  if (batch.journal !== undefined) await writeJournal(session, project, batch.journal);
  await putParts(session, project, batch.parts ?? [], partsNamedBy(batch));
  await executions.put(session, project, batch.executions ?? []);
  await steps.put(session, project, batch.steps ?? []);
  const seq = newestSeq(batch);
  if (seq > base) await session.run('UPDATE projects SET seq = $2 WHERE id = $1', [project, seq]);
}

function partsNamedBy({ executions = [], steps = [] }: Batch): PartId[] {
  const named = [...executions, ...steps].map(({ root }) => root);
  return [...named, ...steps.map(({ result }) => result)].filter((id) => id !== null);
}

/** New records have new numbers; one with an old number must be there to be replaced. */
async function putNumbered<Entry extends { readonly id: string; readonly seq: Seq }>(
  session: Writing,
  project: number,
  table: RecordTable<Entry>,
  entries: readonly Entry[],
  base: Seq,
): Promise<void> {
  const old = entries.filter(({ seq }) => seq <= base);
  if (old.length > 0) {
    const ids = old.map(({ id }) => textToBytes(id));
    const found = await table.list(session, project, 'AND id = ANY($2::bytea[])', ids);
    const numbers = new Map(found.map(({ id, seq }) => [id, seq]));
    for (const { id, seq } of old) if (numbers.get(id) !== seq) throw usedNumber(seq);
  }
  await table.put(session, project, entries);
}

/** New changes come in order, so the last one of a path is its newest, and its head follows it. */
async function writeChanges(
  session: Writing,
  project: number,
  { base, changes: given = [] }: Batch,
): Promise<void> {
  let newest = base;
  const followed = new Map<TrackedPath, Head>();
  for (const { seq, path, before, after } of given) {
    if (seq <= newest) throw usedNumber(seq);
    newest = seq;
    followed.set(path, { path, seq, state: after ?? before, open: after === null });
  }
  await heads.put(session, project, [...followed.values()]);
  await changes.put(session, project, given);
}

const WITH_NUMBERS = 'AND seq = ANY($2::bigint[])';

async function closeChanges(
  session: Writing,
  project: number,
  closed: NonNullable<Batch['closed']>,
): Promise<void> {
  if (closed.length === 0) return;
  const seqs = closed.map(({ seq }) => seq);
  const known = await changes.list(session, project, WITH_NUMBERS, seqs);
  const open = new Map(known.filter(({ after }) => after === null).map((one) => [one.seq, one]));
  const ended = closed.map(({ seq, after, attribution }) => {
    const change = open.get(seq);
    if (change === undefined) {
      throw new SavepointError('argument-invalid', `change ${seq} is not open`);
    }
    open.delete(seq);
    return { ...change, after, attribution: attribution ?? change.attribution };
  });
  await changes.put(session, project, ended);
  // Where a newer change stands on top already, the head stays that one's.
  const after = new Map(ended.map((change) => [change.seq, change.after]));
  const followed = await heads.list(session, project, WITH_NUMBERS, seqs);
  await heads.put(
    session,
    project,
    followed.map((head) => ({ ...head, state: after.get(head.seq) ?? head.state, open: false })),
  );
}

async function doubtChanges(
  session: Writing,
  project: number,
  doubted: readonly Seq[],
): Promise<void> {
  if (doubted.length === 0) return;
  const known = await changes.list(session, project, WITH_NUMBERS, doubted);
  const found = new Set(known.map(({ seq }) => seq));
  const lost = doubted.find((seq) => !found.has(seq));
  if (lost !== undefined) {
    throw new SavepointError('argument-invalid', `there is no change ${lost}`);
  }
  await changes.put(
    session,
    project,
    known.map((change) => ({ ...change, attribution: 'shared' })),
  );
}

async function putWindows(
  session: Writing,
  project: number,
  given: readonly Window[],
  base: Seq,
): Promise<void> {
  if (given.length === 0) return;
  const ids = given.map(({ id }) => textToBytes(id));
  const found = await windows.list(session, project, 'AND id = ANY($2::bytea[])', ids);
  const known = new Map(found.map((window) => [window.id, window]));
  for (const window of given) {
    checkWindow(window, known.get(window.id) ?? null, base);
    known.set(window.id, window);
  }
  await windows.put(session, project, given);
}

/** Refuses numbers that were handed out before. `known` is the window that this one replaces. */
function checkWindow({ opened, closed }: Window, known: Window | null, base: Seq): void {
  if (opened !== known?.opened && (known !== null || opened <= base)) throw usedNumber(opened);
  if (closed === null || closed === known?.closed) return;
  if (closed <= Math.max(base, opened)) throw usedNumber(closed);
}

function usedNumber(seq: Seq): SavepointError {
  return new SavepointError('argument-invalid', `number ${seq} is not above those handed out`);
}

/** The newest number that a batch hands out; its base when it hands none out. */
function newestSeq(batch: Batch): Seq {
  let newest = Math.max(batch.base, batch.baseline?.seq ?? 0);
  for (const rows of [batch.checkpoints, batch.changes, batch.operations]) {
    for (const { seq } of rows ?? []) newest = Math.max(newest, seq);
  }
  for (const { opened, closed } of batch.windows ?? []) {
    newest = Math.max(newest, opened, closed ?? 0);
  }
  return newest;
}

async function removeRows(session: Writing, project: number, batch: Batch): Promise<void> {
  await remove(session, project, checkpoints, batch.removedCheckpoints ?? []);
  await freeOfSessions(session, project, batch.removedSessions ?? []);
  await remove(session, project, sessions, batch.removedSessions ?? []);
  await remove(session, project, operations, batch.removedOperations ?? []);
  await remove(session, project, windows, batch.removedWindows ?? []);
  await remove(session, project, executions, batch.removedExecutions ?? []);
}

/** Foreign keys take along what belongs to a session or an execution. */
async function remove<Entry extends object>(
  session: Writing,
  project: number,
  { name }: RecordTable<Entry>,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const sql = `DELETE FROM ${name} WHERE project = $1 AND id = ANY($2::bytea[])`;
  await session.run(sql, [project, ids.map(textToBytes)]);
}

const DROP_STEPS = `
  DELETE FROM steps USING executions
  WHERE steps.project = $1 AND executions.project = $1 AND steps.execution = executions.id
    AND executions.session_id = ANY($2::bytea[])`;

/** Changes stay without their session, executions as `removed` with the next token. */
async function freeOfSessions(
  session: Writing,
  project: number,
  removed: readonly string[],
): Promise<void> {
  if (removed.length === 0) return;
  const ids = removed.map(textToBytes);
  const freed = await changes.list(session, project, 'AND session = ANY($2::bytea[])', ids);
  await changes.put(
    session,
    project,
    freed.map((change) => ({ ...change, sessionId: null })),
  );
  await session.run(DROP_STEPS, [project, ids]);
  const rest = "AND session_id = ANY($2::bytea[]) AND status <> 'removed'";
  const ended = await executions.list(session, project, rest, ids);
  await executions.put(
    session,
    project,
    ended.map((one) => ({
      ...one,
      status: 'removed',
      token: one.token + 1,
      owner: null,
      leaseUntil: null,
    })),
  );
}
