import type { ExportReceipt, ExportRequest, ImportReceipt, Savepoint } from '../../src/index.ts';
import type { Bed } from './engine-bed.ts';

/** A whole export in memory, and what it says it holds. */
export async function exportOf(
  savepoint: Savepoint,
  request: ExportRequest = {},
): Promise<{ bytes: Buffer; receipt: ExportReceipt }> {
  const chunks: Uint8Array[] = [];
  const stream = savepoint.export(request);
  for (;;) {
    const { value, done } = await stream.next();
    if (done) return { bytes: Buffer.concat(chunks), receipt: value };
    chunks.push(value);
  }
}

export function importOf(savepoint: Savepoint, bytes: Uint8Array): Promise<ImportReceipt> {
  return savepoint.import(piecesOf(bytes));
}

/** As a file is read: in pieces that end where they please. */
export async function* piecesOf(bytes: Uint8Array, length = 1000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

/** From one project to another. */
export async function carry(
  from: Bed,
  to: Bed,
  request: ExportRequest = {},
): Promise<ImportReceipt> {
  return importOf(to.savepoint, (await exportOf(from.savepoint, request)).bytes);
}

/** All that a store says, for comparing: rows as they are, contents by their hashes. */
export async function recordOf(savepoint: Savepoint): Promise<unknown> {
  const checkpoints = await savepoint.list();
  return {
    sessions: await savepoint.sessions(),
    checkpoints,
    changes: await savepoint.changes({}),
    operations: await savepoint.operations(),
    stats: await savepoint.stats(),
  };
}
