import { SavepointError } from '../../model/errors.ts';
import type { Seq } from '../../model/ids.ts';
import { checkWindow } from '../check-scan-rows.ts';
import { newestSeq } from '../newest-seq.ts';
import type { Batch, Fence } from '../store.ts';
import { closeChange, insertChange } from './changes.ts';
import type { Connection } from './connection.ts';
import { readSeq, writeBaseline, writeJournal, writeSeq } from './meta.ts';
import { Numbers } from './numbers.ts';
import type { Opened } from './opened.ts';
import { putReference, storeBlobs } from './put-blob.ts';
import type { RowTable } from './row-table.ts';
import { cancellations, checkpoints, executions, operations, steps, windows } from './schema.ts';
import { putSession, removeSession } from './sessions.ts';

/**
 * One transaction, and one wait for the disk; throws what is busy where somebody writes a document. Large
 * blobs are written inside it: after the check of the base, so that a writer that comes too late leaves
 * nothing, and while all others are kept out.
 */
export function commitBatch(opened: Opened, batch: Batch): void {
  const { connection } = opened;
  const numbers = connection.immediateOrBusy(() => {
    requireBase(connection, batch.base);
    if (batch.fence !== undefined) requireFence(connection, batch.fence);
    const made = new Numbers(connection);
    const begin = storeBlobs(opened, batch.blobs ?? [], made);
    try {
      for (const reference of batch.references ?? []) putReference(opened, reference);
      writeRows(made, batch);
      removeRows(connection, batch);
      return made;
    } catch (error) {
      // Not so when COMMIT itself fails: its rows may turn up after a crash, and would miss the bytes.
      if (begin !== null) opened.arrivals.giveBack(begin);
      throw error;
    }
  });
  numbers.keep();
}

function writeRows(numbers: Numbers, batch: Batch): void {
  const { connection } = numbers;
  for (const session of batch.sessions ?? []) putSession(numbers, session);
  for (const checkpoint of batch.checkpoints ?? []) {
    requireNumber(connection, checkpoints, checkpoint, batch.base);
    checkpoints.put(numbers, checkpoint);
  }
  writeChanges(numbers, batch);
  for (const closed of batch.closed ?? []) closeChange(numbers, closed);
  for (const pair of batch.cancellations ?? []) cancellations.put(numbers, pair);
  for (const operation of batch.operations ?? []) {
    requireNumber(connection, operations, operation, batch.base);
    operations.put(numbers, operation);
  }
  for (const window of batch.windows ?? []) {
    checkWindow(window, windows.find(connection, window.id), batch.base);
    windows.put(numbers, window);
  }
  if (batch.baseline !== undefined) writeBaseline(connection, batch.baseline);
  if (batch.journal !== undefined) writeJournal(connection, batch.journal);
  for (const execution of batch.executions ?? []) executions.put(numbers, execution);
  for (const part of batch.parts ?? []) numbers.parts.put(part);
  for (const step of batch.steps ?? []) steps.put(numbers, step);
  const seq = newestSeq(batch);
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

/** Throws `execution-lost`. */
function requireFence(connection: Connection, { executionId, token }: Fence): void {
  if (executions.find(connection, executionId)?.token === token) return;
  throw new SavepointError(
    'execution-lost',
    `execution ${executionId} was taken over, or given back`,
  );
}

function requireBase(connection: Connection, base: Seq): void {
  const seq = readSeq(connection);
  if (seq === base) return;
  throw new SavepointError('store-moved-on', `the timeline is at ${seq}, not at ${base}`, {
    hint: 'take the project lock before reading what a batch is made from',
  });
}

function usedNumber(seq: Seq): SavepointError {
  return new SavepointError('argument-invalid', `number ${seq} is not above those handed out`);
}
