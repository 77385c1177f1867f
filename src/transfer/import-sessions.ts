import type { CaptureSite } from '../capture/capture.ts';
import { importOwner } from '../model/change.ts';
import { SavepointError } from '../model/errors.ts';
import type { Seq } from '../model/ids.ts';
import type { Session } from '../model/session.ts';
import { Draft } from '../store/draft.ts';
import type { Batch, Blob, BlobReference } from '../store/store.ts';
import type { History } from './history.ts';
import { LocalEnds } from './local-ends.ts';
import { type ReadExport, readExport } from './read-export.ts';
import type { ImportReceipt, TransferCounts, TransferLimits } from './requests.ts';
import { standingOf } from './standing.ts';

/** Reads an export to its end and refuses what an import would refuse of it. Touches nothing. */
export async function verifyExport(
  source: AsyncIterable<Uint8Array>,
  limits: TransferLimits,
): Promise<TransferCounts> {
  const reading = readExport(source, limits);
  for (;;) {
    const { value, done } = await reading.next();
    if (done) return value.counts;
  }
}

/**
 * Brings an export into a store: all of it in one commit, or nothing. Contents wait in a pack that no row
 * names until the last byte of the export was checked. The caller holds the project lock.
 */
export async function importSessions(
  site: CaptureSite,
  source: AsyncIterable<Uint8Array>,
  limits: TransferLimits,
  now: number,
): Promise<ImportReceipt> {
  const staged = new Staged(site, readExport(source, limits));
  try {
    await site.store.putBlobs(staged.groups());
  } catch (error) {
    // There is nothing to keep, so the pack is dropped in the one way there is.
    if (staged.isHere) return receiptOf(staged, false);
    throw error;
  }
  const { read } = staged;
  if (read === null) throw new SavepointError('export-invalid', 'nothing was read');
  await site.store.commit(await batchOf(site, read.history, staged.references, now));
  return receiptOf(staged, true);
}

const GROUP_BYTES = 4 * 1024 * 1024;

/** The contents on their way into a pack. They end only when everything behind them was found sound. */
class Staged {
  readonly references: BlobReference[] = [];
  /** What is to come in: all that was read, without the sessions that are here. */
  read: ReadExport | null = null;
  here: readonly Session[] = [];
  /** Set when all of it is in the store already. */
  isHere = false;
  readonly #site: CaptureSite;
  readonly #reading: AsyncGenerator<Blob, ReadExport>;

  constructor(site: CaptureSite, reading: AsyncGenerator<Blob, ReadExport>) {
    this.#site = site;
    this.#reading = reading;
  }

  async *groups(): AsyncGenerator<readonly Blob[]> {
    let group: Blob[] = [];
    let bytes = 0;
    for (;;) {
      const { value, done } = await this.#reading.next();
      if (done) {
        await this.#finish(value);
        if (group.length > 0) yield group;
        return;
      }
      await this.#tell();
      this.references.push({ id: value.id, size: value.bytes.length, source: 'pack', key: null });
      group.push(value);
      bytes += value.bytes.length;
      if (bytes < GROUP_BYTES) continue;
      yield group;
      group = [];
      bytes = 0;
    }
  }

  async #tell(): Promise<void> {
    const { length } = this.references;
    await this.#site.onProgress?.({ step: 'import', done: length, total: null });
  }

  async #finish(read: ReadExport): Promise<void> {
    const { missing, here } = await standingOf(this.#site.store, read.history);
    this.here = here;
    this.isHere = missing === null;
    this.read = missing === null ? read : { ...read, history: missing };
    if (this.isHere) throw new SavepointError('aborted', 'it is here already');
  }
}

/**
 * The history gets the next numbers, in its own order. Before and after it each path is tied to how it is
 * here, so that to the record it looks as if somebody had put the imported states there and then taken
 * them away again: the last known state of every path is what it was.
 */
async function batchOf(
  site: CaptureSite,
  history: History,
  contents: readonly BlobReference[],
  now: number,
): Promise<Batch> {
  const draft = new Draft(await site.store.seq());
  const owner = importOwner(draft.base + 1);
  const ends = await LocalEnds.find(site, draft, history.changes, now);
  ends.leadIn(owner);
  const offset = draft.seq;
  const { length } = [...history.checkpoints, ...history.changes, ...history.operations];
  for (let number = 0; number < length; number += 1) draft.nextSeq();
  const moved = <Row extends { readonly seq: Seq }>(row: Row): Row => ({
    ...row,
    seq: row.seq + offset,
  });
  for (const session of history.sessions) {
    // Its time to be kept begins here, and now.
    draft.putSession({ ...session, lastActiveAt: now, archivedAt: null });
  }
  for (const checkpoint of history.checkpoints) {
    // Of this worktree nothing was scanned then.
    draft.checkpoints.push({ ...moved(checkpoint), coverage: 'named' });
  }
  for (const change of history.changes) draft.changes.push({ ...moved(change), owner });
  for (const { by, change } of history.cancellations) {
    draft.cancellations.push({ by: by + offset, change: change + offset });
  }
  ends.leadOut(owner);
  // An undo or a redo means what was done here, not what somebody did elsewhere.
  const operations = history.operations.map((row) => ({ ...moved(row), inEffect: false }));
  for (const reference of contents) draft.addReference(reference);
  return { ...draft.batch(), operations };
}

function receiptOf({ read, here }: Staged, imported: boolean): ImportReceipt {
  if (read === null) throw new SavepointError('export-invalid', 'nothing was read');
  const { history, counts } = read;
  return {
    ...counts,
    sessions: history.sessions.length,
    checkpoints: history.checkpoints.length,
    changes: history.changes.length,
    operations: history.operations.length,
    cancellations: history.cancellations.length,
    imported,
    brought: history.sessions,
    alreadyHere: here,
  };
}
