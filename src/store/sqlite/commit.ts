import { SavepointError } from '../../model/errors.ts';
import type { Seq } from '../../model/ids.ts';
import { checkWindow } from '../check-scan-rows.ts';
import { newestSeq } from '../newest-seq.ts';
import type { Batch } from '../store.ts';
import { BlobNumbers } from './blob-numbers.ts';
import { insertCancellation } from './cancellations.ts';
import { closeChange, insertChange } from './changes.ts';
import { findCheckpoint, putCheckpoint, removeCheckpoint } from './checkpoints.ts';
import type { Connection } from './connection.ts';
import { putExecution, putStep, removeExecution, requireFence } from './executions.ts';
import { readSeq, writeBaseline, writeJournal, writeSeq } from './meta.ts';
import type { Opened } from './opened.ts';
import { findOperation, putOperation, removeOperation } from './operations.ts';
import { PartNumbers, rememberNumbers } from './parts.ts';
import { putReference, storeBlobs } from './put-blob.ts';
import { putSession, removeSession } from './sessions.ts';
import { findWindow, putWindow, removeWindow } from './windows.ts';

/**
 * One transaction, and one wait for the disk; throws what is busy where somebody writes a document. Large
 * blobs are written inside it: after the check of the base, so that a writer that comes too late leaves
 * nothing, and while all others are kept out.
 */
export function commitBatch(opened: Opened, batch: Batch): void {
  const { connection } = opened;
  let parts: PartNumbers | null = null;
  connection.immediateOrBusy(() => {
    requireBase(connection, batch.base);
    if (batch.fence !== undefined) requireFence(connection, batch.fence);
    const numbers = new BlobNumbers(connection);
    const begin = storeBlobs(opened, batch.blobs ?? [], numbers);
    try {
      for (const reference of batch.references ?? []) putReference(connection, reference);
      writeRows(connection, batch, numbers);
      parts = writeSteps(connection, batch);
      removeRows(connection, batch);
    } catch (error) {
      // Not so when COMMIT itself fails: its rows may turn up after a crash, and would miss the bytes.
      if (begin !== null) opened.arrivals.giveBack(begin);
      throw error;
    }
  });
  rememberNumbers(parts);
}

function writeRows(connection: Connection, batch: Batch, blobs: BlobNumbers): void {
  for (const session of batch.sessions ?? []) putSession(connection, session);
  writeCheckpoints(connection, batch);
  writeChanges(connection, batch, blobs);
  for (const closed of batch.closed ?? []) closeChange(connection, closed, blobs);
  for (const pair of batch.cancellations ?? []) insertCancellation(connection, pair);
  writeOperations(connection, batch);
  writeWindows(connection, batch);
  if (batch.baseline !== undefined) writeBaseline(connection, batch.baseline);
  if (batch.journal !== undefined) writeJournal(connection, batch.journal);
  const seq = newestSeq(batch);
  if (seq > batch.base) writeSeq(connection, seq);
}

function writeCheckpoints(connection: Connection, { base, checkpoints = [] }: Batch): void {
  for (const checkpoint of checkpoints) {
    const { id, seq } = checkpoint;
    if (seq <= base && findCheckpoint(connection, id)?.seq !== seq) throw usedNumber(seq);
    putCheckpoint(connection, checkpoint);
  }
}

function writeChanges(
  connection: Connection,
  { base, changes = [] }: Batch,
  blobs: BlobNumbers,
): void {
  let newest = base;
  for (const change of changes) {
    if (change.seq <= newest) throw usedNumber(change.seq);
    newest = change.seq;
    insertChange(connection, change, blobs);
  }
}

function writeOperations(connection: Connection, { base, operations = [] }: Batch): void {
  for (const operation of operations) {
    const { id, seq } = operation;
    if (seq <= base && findOperation(connection, id)?.seq !== seq) throw usedNumber(seq);
    putOperation(connection, operation);
  }
}

function writeWindows(connection: Connection, { base, windows = [] }: Batch): void {
  for (const window of windows) {
    checkWindow(window, findWindow(connection, window.id), base);
    putWindow(connection, window);
  }
}

/** After all else: a step names checkpoints, and an execution its session. */
function writeSteps(connection: Connection, batch: Batch): PartNumbers | null {
  const { parts = [], executions = [], steps = [] } = batch;
  for (const execution of executions) putExecution(connection, execution);
  if (parts.length + steps.length === 0) return null;
  const numbers = new PartNumbers(connection);
  for (const part of parts) numbers.put(part);
  for (const step of steps) putStep(connection, step, numbers);
  return numbers;
}

function removeRows(connection: Connection, batch: Batch): void {
  for (const id of batch.removedCheckpoints ?? []) removeCheckpoint(connection, id);
  for (const id of batch.removedSessions ?? []) removeSession(connection, id);
  for (const id of batch.removedOperations ?? []) removeOperation(connection, id);
  for (const id of batch.removedWindows ?? []) removeWindow(connection, id);
  for (const id of batch.removedExecutions ?? []) removeExecution(connection, id);
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
