import { ATTRIBUTIONS, type Change } from '../../model/change.ts';
import type { Seq } from '../../model/ids.ts';
import type { Session } from '../../model/session.ts';
import {
  checkWindow,
  newestSeq,
  noSuchChange,
  notOpen,
  requireSameSeq,
  requireToken,
  usedNumber,
} from '../batch-rules.ts';
import { modeOf } from '../state-columns.ts';
import type { Batch, ClosedChange } from '../store.ts';
import { putReference, storeBlobs } from './blobs.ts';
import type { Connection } from './connection.ts';
import type { Opened } from './layout.ts';
import { readSeq, writeBaseline, writeJournal, writeSeq } from './meta.ts';
import { Numbers, sessionNumber } from './numbers.ts';
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
import { sealSql } from './seals.ts';

/**
 * One transaction, and one wait for the disk. Throws SQLite's busy error while somebody writes a document.
 * Large blobs are written inside it: after the check of the base, so that a writer that comes too late leaves
 * nothing, and while all others are kept out.
 */
export function commitBatch(opened: Opened, batch: Batch): void {
  const { connection } = opened;
  const numbers = connection.immediateOrBusy(() => {
    requireSameSeq(readSeq(connection), batch.base);
    const { fence } = batch;
    if (fence !== undefined) {
      requireToken(executions.find(connection, fence.executionId)?.token, fence);
    }
    const made = new Numbers(connection);
    const begin = storeBlobs(opened, batch.blobs ?? [], made);
    try {
      for (const reference of batch.references ?? []) putReference(opened, reference);
      writeRows(made, batch);
      removeRows(connection, batch);
      return made;
    } catch (error) {
      // When COMMIT itself fails, the bytes stay: the rows may turn up after a crash, and would miss them.
      if (begin !== null) opened.arrivals.giveBack(begin);
      throw error;
    }
  });
  numbers.keep();
}

function writeRows(numbers: Numbers, batch: Batch): void {
  const { connection } = numbers;
  // Rows of another store keep their numbers.
  const base = batch.carried === undefined ? batch.base : 0;
  for (const session of batch.sessions ?? []) putSession(numbers, session);
  for (const checkpoint of batch.checkpoints ?? []) {
    requireNumber(connection, checkpoints, checkpoint, base);
    checkpoints.put(numbers, checkpoint);
  }
  writeChanges(numbers, { ...batch, base });
  for (const closed of batch.closed ?? []) closeChange(numbers, closed);
  for (const seq of batch.doubted ?? []) doubtChange(connection, seq);
  for (const pair of batch.cancellations ?? []) cancellations.put(numbers, pair);
  for (const path of batch.privatePaths ?? []) privatePaths.put(numbers, { path });
  for (const operation of batch.operations ?? []) {
    requireNumber(connection, operations, operation, base);
    operations.put(numbers, operation);
  }
  for (const window of batch.windows ?? []) {
    checkWindow(window, windows.find(connection, window.id), base);
    windows.put(numbers, window);
  }
  if (batch.baseline !== undefined) writeBaseline(connection, batch.baseline);
  if (batch.journal !== undefined) writeJournal(connection, batch.journal);
  for (const part of batch.parts ?? []) numbers.parts.put(part);
  for (const execution of batch.executions ?? []) executions.put(numbers, execution);
  for (const step of batch.steps ?? []) steps.put(numbers, step);
  for (const head of batch.carried?.heads ?? []) heads.put(numbers, head);
  const seq = batch.carried?.seq ?? newestSeq(batch);
  if (seq > batch.base) writeSeq(connection, seq);
}

function writeChanges(numbers: Numbers, { base, changes = [] }: Batch): void {
  let newest = base;
  for (const change of changes) {
    if (change.seq <= newest) throw usedNumber(change.seq);
    newest = change.seq;
    insertChange(numbers, change);
  }
}

/** New records have new numbers; one with an old number must be there to be replaced. */
function requireNumber<Entry extends { readonly id: string; readonly seq: Seq }>(
  connection: Connection,
  table: RowTable<Entry>,
  { id, seq }: Entry,
  base: Seq,
): void {
  if (seq <= base && table.find(connection, id)?.seq !== seq) throw usedNumber(seq);
}

function removeRows(connection: Connection, batch: Batch): void {
  for (const id of batch.removedCheckpoints ?? []) checkpoints.remove(connection, id);
  for (const id of batch.removedSessions ?? []) removeSession(connection, id);
  for (const id of batch.removedOperations ?? []) operations.remove(connection, id);
  for (const id of batch.removedWindows ?? []) windows.remove(connection, id);
  for (const id of batch.removedExecutions ?? []) executions.remove(connection, id);
}

/** The session is mostly there already. An INSERT with ON CONFLICT would use up a number each time. */
function putSession(numbers: Numbers, session: Session): void {
  if (!sessions.update(numbers, session)) sessions.insert(numbers, session);
}

// Foreign keys would do it too, but they know nothing of seals.
const FREE_CHANGES = `
  UPDATE changes SET session = NULL, seal = ${sealSql('changes', { session: 'NULL' })}
  WHERE session = ?`;

const DROP_STEPS =
  'DELETE FROM steps WHERE execution IN (SELECT num FROM executions WHERE session_id = ?)';

const REMOVED = { status: "'removed'", token: 'token + 1', owner: 'NULL', lease_until: 'NULL' };
const REMOVE_EXECUTIONS = `
  UPDATE executions SET status = 'removed', token = token + 1, owner = NULL, lease_until = NULL,
    seal = ${sealSql('executions', REMOVED)}
  WHERE session_id = ? AND status <> 'removed'`;

/** Foreign keys take its checkpoints and windows along. */
function removeSession(connection: Connection, id: string): void {
  connection.run(FREE_CHANGES, sessionNumber(connection, id));
  connection.run(DROP_STEPS, id);
  connection.run(REMOVE_EXECUTIONS, id);
  sessions.remove(connection, id);
}

/** New changes come in order, so the last one of a path is its newest, and its head follows it. */
function insertChange(numbers: Numbers, change: Change): void {
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

function closeChange(numbers: Numbers, { seq, after, attribution }: ClosedChange): void {
  const { connection } = numbers;
  const state = [modeOf(after), numbers.blob(after)] as const;
  const code = attribution ? ATTRIBUTIONS.indexOf(attribution) : null;
  const row = connection.get<{ path: number }>(CLOSE, ...state, code, seq);
  if (row === undefined) throw notOpen(seq);
  connection.run(CLOSE_HEAD, ...state, row.path, seq);
}

const DOUBT = `
  UPDATE changes SET attribution = ?1, seal = ${sealSql('changes', { attribution: '?1' })}
  WHERE seq = ?2
  RETURNING seq`;

function doubtChange(connection: Connection, seq: Seq): void {
  const row = connection.get(DOUBT, ATTRIBUTIONS.indexOf('shared'), seq);
  if (row === undefined) throw noSuchChange(seq);
}
