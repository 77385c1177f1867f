import { SavepointError } from '../model/errors.ts';
import type { Seq } from '../model/ids.ts';
import type { Window } from '../model/window.ts';
import type { Batch, Fence } from './store.ts';

// What every store refuses of a batch, and the errors that say so.

/** Throws `store-moved-on`. `seq` is where the timeline is. */
export function requireSameSeq(seq: Seq, base: Seq): void {
  if (seq === base) return;
  throw new SavepointError('store-moved-on', `the timeline is at ${seq}, not at ${base}`, {
    hint: 'take the project lock before reading what a batch is made from',
  });
}

/** Throws `execution-lost`. `token` is the one that the execution has. */
export function requireToken(token: number | undefined, fence: Fence): void {
  if (token === fence.token) return;
  const message = `execution ${fence.executionId} was taken over, or given back`;
  throw new SavepointError('execution-lost', message);
}

/** Refuses numbers that were handed out before. `known` is the window that this one replaces. */
export function checkWindow({ opened, closed }: Window, known: Window | null, base: Seq): void {
  if (opened !== known?.opened && (known !== null || opened <= base)) throw usedNumber(opened);
  if (closed === null || closed === known?.closed) return;
  if (closed <= Math.max(base, opened)) throw usedNumber(closed);
}

export function usedNumber(seq: Seq): SavepointError {
  return new SavepointError('argument-invalid', `number ${seq} is not above those handed out`);
}

export function notOpen(seq: Seq): SavepointError {
  return new SavepointError('argument-invalid', `change ${seq} is not open`);
}

export function noSuchChange(seq: Seq): SavepointError {
  return new SavepointError('argument-invalid', `there is no change ${seq}`);
}

/** The newest number that a batch hands out; its base when it hands none out. */
export function newestSeq(batch: Batch): Seq {
  let newest = Math.max(batch.base, batch.baseline?.seq ?? 0);
  for (const rows of [batch.checkpoints, batch.changes, batch.operations]) {
    for (const { seq } of rows ?? []) newest = Math.max(newest, seq);
  }
  for (const { opened, closed } of batch.windows ?? []) {
    newest = Math.max(newest, opened, closed ?? 0);
  }
  return newest;
}
