import { type CaptureSite, look, mayRun } from '../capture/capture.ts';
import { appendChange, outsider, settle } from '../capture/chain.ts';
import { headOf } from '../capture/known-states.ts';
import type { Cancellation } from '../model/change.ts';
import { SavepointError } from '../model/errors.ts';
import type { Seq } from '../model/ids.ts';
import type { ChangeOrigin, ImportOwner } from '../model/owner.ts';
import type { TrackedPath } from '../model/path.ts';
import type { Session } from '../model/session.ts';
import { isDirectory, joins, type State, sameState } from '../model/state.ts';
import { Draft } from '../store/draft.ts';
import { currentSeq } from '../store/find.ts';
import type { Batch, Blob, BlobReference } from '../store/store.ts';
import { clashingLabels } from '../timeline/labels.ts';
import { groupsOf } from './carry-store.ts';
import { countRows, type EndedChange, type History } from './history.ts';
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

// A small export is checked to its end before the store gets anything of it.
const GROUP = { bytes: 4 * 1024 * 1024, rows: Number.POSITIVE_INFINITY };

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
  const incoming = new Incoming(site, readExport(source, limits));
  try {
    const groups = groupsOf(incoming.blobs(), ({ bytes }) => bytes.length, GROUP);
    await site.store.blobs.putMany(groups);
  } catch (error) {
    if (incoming.isHere) return incoming.receipt(false);
    throw error;
  }
  const { history, references } = incoming;
  const { free, clashing } = await withoutClashes(site, history);
  await site.store.timeline.commit(await batchOf(site, free, references, now));
  return incoming.receipt(true, clashing);
}

/** A label that means something else here stays behind. */
export async function withoutClashes(
  { store }: CaptureSite,
  history: History,
): Promise<{ readonly free: History; readonly clashing: readonly string[] }> {
  const clashing = await clashingLabels(store, history.checkpoints);
  const checkpoints = history.checkpoints.map((one) =>
    clashing.has(one.label ?? '') ? { ...one, label: null } : one,
  );
  return { free: { ...history, checkpoints }, clashing: [...clashing] };
}

/** The contents on their way into a pack. They end only when everything behind them was found sound. */
class Incoming {
  readonly references: BlobReference[] = [];
  /** Set when everything in the export is in the store already. */
  isHere = false;
  readonly #site: CaptureSite;
  readonly #reading: AsyncGenerator<Blob, ReadExport>;
  #read: ReadExport | null = null;
  /** The sessions of the export that are in the store already. */
  #here: readonly Session[] = [];

  constructor(site: CaptureSite, reading: AsyncGenerator<Blob, ReadExport>) {
    this.#site = site;
    this.#reading = reading;
  }

  async *blobs(): AsyncGenerator<Blob> {
    for (;;) {
      const { value, done } = await this.#reading.next();
      if (done) return this.#finish(value);
      const { length } = this.references;
      await this.#site.onProgress?.({ step: 'import', done: length, total: null });
      this.references.push({ id: value.id, size: value.bytes.length, source: 'pack', key: null });
      yield value;
    }
  }

  async #finish(read: ReadExport): Promise<void> {
    const { missing, here } = await standingOf(this.#site.store, read.history);
    this.#here = here;
    this.#read = missing === null ? read : { ...read, history: missing };
    this.isHere = missing === null;
    // There is nothing to keep: `putMany` drops the pack when the groups end with an error.
    if (this.isHere) throw new SavepointError('aborted', 'all of the export is here already');
  }

  /** Everything in the export except for the sessions that are here already. */
  get history(): History {
    return this.#whole().history;
  }

  receipt(imported: boolean, labelsLeftOut: readonly string[] = []): ImportReceipt {
    const { history, counts } = this.#whole();
    const rows = countRows(history);
    const [brought, alreadyHere] = [history.sessions, this.#here];
    return { ...counts, ...rows, imported, brought, alreadyHere, labelsLeftOut };
  }

  #whole(): ReadExport {
    if (this.#read === null) throw new SavepointError('export-invalid', 'nothing was read');
    return this.#read;
  }
}

/** What a history needs that goes on with one that is here already. */
export interface Continued {
  /** The place of the import that it goes on with; null where the session was not imported before. */
  readonly continues: Seq | null;
  /** Where the session began here by itself; null where it did not. */
  readonly began: Seq | null;
  /** The change of another worktree that the change with this number of the history stands for. */
  readonly originOf: (number: Seq) => ChangeOrigin | null;
  /** Changes that are here already, and the numbers in the history of those that cancel them. */
  readonly cancellations: readonly Cancellation[];
  /** Sessions that are here already, and went on. */
  readonly sessions: readonly Session[];
}

const NEW: Continued = {
  continues: null,
  began: null,
  originOf: () => null,
  cancellations: [],
  sessions: [],
};

/**
 * The history gets the next numbers, in its own order. Before and after it each path is tied to how it is
 * here, so that to the record it looks as if somebody had put the imported states there and then taken
 * them away again: the last known state of every path is what it was.
 */
export async function batchOf(
  site: CaptureSite,
  history: History,
  contents: readonly BlobReference[],
  now: number,
  { continues, began, originOf, cancellations, sessions }: Continued = NEW,
): Promise<Batch> {
  const draft = new Draft(await currentSeq(site.store));
  const first = draft.base + 1;
  const ends = await localEnds(site, draft, history.changes, now);
  const ownerOf = (path: TrackedPath): ImportOwner => ({
    kind: 'import',
    // Where the files are as the session left them, its work elsewhere counts as done here since it began.
    first: began !== null && isAsLeft(ends.get(path)) ? began : first,
    ...(continues === null ? {} : { continues }),
  });
  const link = (path: TrackedPath, { blob }: LocalEnd, before: State, after: State): void => {
    if (joins(before, after)) return;
    if (blob !== null) draft.addBlob(blob);
    appendChange(draft, path, before, after, { ...outsider(now), owner: ownerOf(path) });
  };
  for (const [path, end] of ends) {
    if (site.ignored(path, isDirectory(end.local))) draft.privatePaths.push(path);
    link(path, end, end.local, end.first);
  }
  const offset = draft.seq;
  const rows = [...history.checkpoints, ...history.changes, ...history.operations];
  const last = rows.reduce((newest, { seq }) => Math.max(newest, seq), 0);
  for (let number = 0; number < last; number += 1) draft.nextSeq();
  const moved = <Row extends { readonly seq: Seq }>(row: Row): Row => ({
    ...row,
    seq: row.seq + offset,
  });
  for (const session of [...history.sessions, ...sessions]) {
    // The time for which it is kept begins here, and now.
    draft.putSession({ ...session, lastActiveAt: now, archivedAt: null });
  }
  for (const checkpoint of history.checkpoints) {
    // Nothing of this worktree was scanned then.
    draft.checkpoints.push({ ...moved(checkpoint), coverage: 'named', importedAt: first });
  }
  for (const change of history.changes) {
    const from = originOf(change.seq);
    const owner = { ...ownerOf(change.path), ...(from === null ? {} : { from }) };
    draft.changes.push({ ...moved(change), owner });
  }
  for (const { by, change, inPart } of history.cancellations) {
    draft.cancellations.push({ by: by + offset, change: change + offset, inPart });
  }
  for (const pair of cancellations) {
    draft.cancellations.push({ ...pair, by: pair.by + offset });
  }
  for (const [path, end] of ends) link(path, end, end.last, end.local);
  // An undo or a redo means what was done here, not what somebody did elsewhere.
  const operations = history.operations.map((row) => ({ ...moved(row), inEffect: false }));
  for (const reference of contents) draft.addReference(reference);
  return { ...draft.batch(), operations };
}

function isAsLeft(end: LocalEnd | undefined): boolean {
  return end !== undefined && sameState(end.last, end.local);
}

interface LocalEnd {
  /** How the path is here. */
  readonly local: State;
  /** Its bytes, where no row names them yet. */
  readonly blob: Blob | null;
  /** How the imported chain begins and ends. */
  readonly first: State;
  readonly last: State;
}

async function localEnds(
  site: CaptureSite,
  draft: Draft,
  changes: readonly EndedChange[],
  now: number,
): Promise<Map<TrackedPath, LocalEnd>> {
  const ends = new Map<TrackedPath, LocalEnd>();
  for (const [path, chain] of Map.groupBy(changes, (change) => change.path)) {
    const [oldest, newest] = [chain[0], chain.at(-1)];
    if (oldest === undefined || newest === undefined) continue;
    const here = await localState(site, draft, path, now);
    ends.set(path, { ...here, first: oldest.before, last: newest.after });
  }
  return ends;
}

/** The last known state; what is on disk, of a path that nobody has looked at yet or is writing to. */
async function localState(
  site: CaptureSite,
  draft: Draft,
  path: TrackedPath,
  now: number,
): Promise<Pick<LocalEnd, 'local' | 'blob'>> {
  const head = await headOf(draft, site.known, path);
  if (head !== null && !head.open) return { local: head.state, blob: null };
  const seen = look(site, path);
  if (head !== null) {
    await refuseBusy(site, path, now);
    settle(draft, head, path, seen, now);
  }
  return { local: seen.state, blob: seen.blob };
}

/** A change that a tool call still has open ends with what that call leaves, not with what we see. */
async function refuseBusy({ store }: CaptureSite, path: TrackedPath, now: number): Promise<void> {
  const open = await store.timeline.changes({ paths: [path], open: true });
  if (!open.some((call) => mayRun(call, now))) return;
  throw new SavepointError('session-busy', 'a tool call is at work on a file of the export', {
    path,
    hint: 'nothing was imported; wait until it ends',
  });
}
