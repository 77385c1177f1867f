import type { Seq } from '../model/ids.ts';
import type { Batch } from './store.ts';

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
