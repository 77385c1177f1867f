import type { Change } from '../../model/change.ts';
import { SavepointError } from '../../model/errors.ts';
import { isBlobId, type Seq } from '../../model/ids.ts';
import { checkBaseline, checkReference, checkWindow } from '../check-scan-rows.ts';
import type { Batch } from '../store.ts';
import { checkDocuments } from './documents.ts';
import type { MemoryPlace } from './memory-place.ts';

interface Numbered {
  readonly id: string;
  readonly seq: Seq;
}

/** Throws before anything is written, so that writing cannot stop half way. */
export function checkBatch(place: MemoryPlace, batch: Batch): void {
  if (batch.base !== place.seq) {
    throw new SavepointError(
      'store-moved-on',
      `the timeline is at ${place.seq}, not at ${batch.base}`,
      {
        hint: 'take the project lock before reading what a batch is made from',
      },
    );
  }
  if (batch.blobs?.some((blob) => !isBlobId(blob.id)))
    throw refused('a blob has no SHA-256 as its id');
  checkNumbers(batch.checkpoints ?? [], place.checkpoints, batch.base);
  checkNumbers(batch.operations ?? [], place.operations, batch.base);
  checkOrder(batch.changes ?? [], batch.base);
  checkSessions(place, batch);
  checkClosed(place, batch);
  checkScanRows(place, batch);
  checkDocuments(place, batch);
}

/** New rows have new numbers; a row with an old one must be there to be replaced. */
function checkNumbers(
  rows: readonly Numbered[],
  known: ReadonlyMap<string, Numbered>,
  base: Seq,
): void {
  const owners = new Map<Seq, string>();
  for (const { id, seq } of rows) {
    const taken = owners.get(seq) ?? id;
    const replaces = known.get(id)?.seq === seq;
    if (taken !== id || (seq <= base && !replaces)) throw usedNumber(seq);
    owners.set(seq, id);
  }
}

function checkOrder(changes: readonly Change[], base: Seq): void {
  let newest = base;
  for (const { seq } of changes) {
    if (seq <= newest) throw usedNumber(seq);
    newest = seq;
  }
}

function checkSessions(place: MemoryPlace, batch: Batch): void {
  const added = new Set(batch.sessions?.map((session) => session.id));
  const { checkpoints = [], changes = [], windows = [], executions = [] } = batch;
  for (const { sessionId } of [...checkpoints, ...changes, ...windows, ...executions]) {
    if (sessionId === null || added.has(sessionId) || place.sessions.has(sessionId)) continue;
    throw refused(`there is no session ${sessionId}`);
  }
}

function checkClosed(place: MemoryPlace, batch: Batch): void {
  const added = new Map(batch.changes?.map((change) => [change.seq, change]));
  const seen = new Set<Seq>();
  for (const { seq } of batch.closed ?? []) {
    const change = added.get(seq) ?? place.changes.get(seq);
    if (change?.after !== null || seen.has(seq)) throw refused(`change ${seq} is not open`);
    seen.add(seq);
  }
}

function checkScanRows(place: MemoryPlace, batch: Batch): void {
  const windows = new Map(place.windows);
  for (const window of batch.windows ?? []) {
    checkWindow(window, windows.get(window.id) ?? null, batch.base);
    windows.set(window.id, window);
  }
  const opened = new Set([...windows.values()].map((window) => window.opened));
  if (opened.size < windows.size) throw refused('two windows have the same number');
  for (const reference of batch.references ?? []) {
    checkReference(reference);
    if (reference.source === 'git') throw refused('there is no place for objects of git in memory');
  }
  if (batch.baseline) checkBaseline(batch.baseline);
}

function usedNumber(seq: Seq): SavepointError {
  return refused(`number ${seq} is not above those handed out`);
}

function refused(message: string): SavepointError {
  return new SavepointError('argument-invalid', message);
}
