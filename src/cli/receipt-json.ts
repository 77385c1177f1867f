import type { PathReason, Receipt } from '../index.ts';
import { sentenceFor } from '../terminal/reasons.ts';
import { PathNames } from './json.ts';
import type { Unmatched } from './on-record.ts';

/** What a rewind, undo or redo did, or would do, for programs. */
export function receiptJson(
  receipt: Receipt,
  dryRun: boolean,
  unmatched: readonly Unmatched[] = [],
): object {
  const names = new PathNames();
  const list = (paths: readonly string[]) => paths.map((path) => names.name(path));
  const reasons = (entries: readonly PathReason[]) =>
    entries.map(({ path, reason }) => {
      return { path: names.name(path), reason, message: sentenceFor(reason) };
    });
  const notes = receipt.notes.map(({ code, message, paths = [] }) => {
    return { code, message, paths: list(paths) };
  });
  return {
    success: receipt.success,
    ...(dryRun ? { dryRun } : {}),
    operationId: receipt.operationId,
    safetyCheckpointId: receipt.safetyCheckpointId,
    restoredFiles: list(receipt.restoredFiles),
    deletedFiles: list(receipt.deletedFiles),
    mergedFiles: list(receipt.mergedFiles),
    conflicts: reasons(receipt.conflicts),
    skipped: reasons(receipt.skipped),
    notes,
    errors: reasons(receipt.errors),
    notOnRecord: unmatched.map(({ typed }) => typed),
    // Last: it is complete only once every name was asked for.
    pathBytes: names.pathBytes,
  };
}
