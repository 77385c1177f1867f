import { outsider } from '../capture/chain.ts';
import type { Cancellation, Change } from '../model/change.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { BlobId, Seq } from '../model/ids.ts';
import type { Operation } from '../model/operation.ts';
import { isOutside, type TrackedPath } from '../model/path.ts';
import { protectionOf } from '../model/protection.ts';
import type { Session } from '../model/session.ts';
import { joins, type State } from '../model/state.ts';
import { currentSeq } from '../store/find.ts';
import type { StoreReader } from '../store/store.ts';
import { isSelected } from '../timeline/change-set.ts';
import { privatePaths } from '../timeline/private-paths.ts';
import type { RowCounts } from './requests.ts';

/** A change that has ended: no other is moved. */
export interface EndedChange extends Change {
  readonly after: State;
}

/**
 * A piece of a timeline that stands on its own: every row that a row names is in it. Checkpoints, changes and
 * operations are numbered together, from 1 on without a gap, and each list is in that order.
 */
export interface History {
  readonly sessions: readonly Session[];
  readonly checkpoints: readonly Checkpoint[];
  readonly changes: readonly EndedChange[];
  readonly operations: readonly Operation[];
  readonly cancellations: readonly Cancellation[];
}

/** The lists of a history, in the order in which an export holds them. */
export const LISTS: readonly (keyof History)[] = [
  'sessions',
  'checkpoints',
  'operations',
  'changes',
  'cancellations',
];

export function countRows(history: History): RowCounts {
  return Object.fromEntries(
    LISTS.map((list) => [list, history[list].length]),
  ) as unknown as RowCounts;
}

/** Each blob that a state names, with its size. */
export function blobsIn(states: readonly State[]): Map<BlobId, number> {
  const blobs = new Map<BlobId, number>();
  for (const state of states) {
    if (state.kind === 'captured' && state.blob !== null) blobs.set(state.blob, state.size);
  }
  return blobs;
}

/** Rows of a store that belong together, as they lie there. */
export interface Collected extends Omit<History, 'changes'> {
  readonly changes: readonly Change[];
  /** Paths that stay behind: outside of the project, they mean nothing anywhere else. */
  readonly leftOut: readonly TrackedPath[];
  /** Private paths that nobody named. */
  readonly privateOut: readonly TrackedPath[];
}

/**
 * Collects what a family of sessions needs to be rewound elsewhere: its own rows; the whole chain of every
 * path that it changed, from its first change on, since others' changes in between decide what a rewind
 * does; the operations in those chains, with their safety checkpoints. `sessions` null: everything. `named`:
 * private paths that may move, or folders that hold them.
 */
export async function collect(
  store: StoreReader,
  sessions: readonly Session[] | null,
  named: readonly TrackedPath[] = [],
): Promise<Collected> {
  // Rows that come while we read belong to the next export.
  const end = await currentSeq(store);
  const isOld = ({ seq }: { readonly seq: Seq }): boolean => seq <= end;
  const all = (await changesOf(store, sessions)).filter(isOld);
  const isPrivate = await privatePaths(store);
  const staysPrivate = (path: TrackedPath): boolean => isPrivate(path) && !isSelected(path, named);
  const changes = all.filter(({ path }) => canMove(path) && !staysPrivate(path));
  const everyCheckpoint = (await store.timeline.checkpoints({})).filter(isOld).toReversed();
  const operations = await operationsOf(store, changes, everyCheckpoint);
  const ids = new Set(sessions?.map(({ id }) => id));
  const safety = new Set(operations.map(({ safetyCheckpointId }) => safetyCheckpointId));
  return {
    sessions: sessions ?? (await store.timeline.sessions()),
    checkpoints: everyCheckpoint.filter(
      ({ id, sessionId }) => sessions === null || safety.has(id) || ids.has(sessionId ?? ''),
    ),
    changes,
    operations,
    cancellations: await cancellationsOf(store, changes),
    leftOut: [...new Set(all.flatMap(({ path }) => (canMove(path) ? [] : [path])))],
    privateOut: [
      ...new Set(all.flatMap(({ path }) => (canMove(path) && staysPrivate(path) ? [path] : []))),
    ],
  };
}

async function changesOf(
  store: StoreReader,
  sessions: readonly Session[] | null,
): Promise<readonly Change[]> {
  if (sessions === null) return store.timeline.changes({});
  const own = await store.timeline.changes({ sessionIds: sessions.map(({ id }) => id) });
  const [oldest] = own;
  if (oldest === undefined) return [];
  const firsts = new Map(own.toReversed().map(({ path, seq }) => [path, seq]));
  const chains = await store.timeline.changes({ paths: [...firsts.keys()], after: oldest.seq - 1 });
  return chains.filter(({ path, seq }) => seq >= (firsts.get(path) ?? 0));
}

/** The pairs that move along with these changes. */
async function cancellationsOf(
  store: StoreReader,
  changes: readonly Change[],
): Promise<readonly Cancellation[]> {
  const seqs = new Set(changes.map(({ seq }) => seq));
  const pairs = await store.timeline.cancellations([...seqs]);
  const divided = new Set(pairs.flatMap(({ by, inPart }) => (inPart ? [by] : [])));
  if (divided.size === 0) return pairs;
  const paths = new Set(changes.flatMap(({ seq, path }) => (divided.has(seq) ? [path] : [])));
  const chains = await store.timeline.changes({ paths: [...paths] });
  const all = await store.timeline.cancellations(chains.map(({ seq }) => seq));
  return withoutHalves(pairs, all, ({ change }) => seqs.has(change));
}

/**
 * Without the pairs of rewinds of hunks of which another pair stays behind. With only some of its pairs, such a rewind
 * would look as if it had taken back parts of these changes alone, and would go back with them. With none it is
 * somebody else's change, which stays.
 */
export function withoutHalves(
  pairs: readonly Cancellation[],
  all: readonly Cancellation[],
  moves: (pair: Cancellation) => boolean,
): Cancellation[] {
  const halves = new Set(all.flatMap((pair) => (pair.inPart && !moves(pair) ? [pair.by] : [])));
  return pairs.filter(({ by, inPart }) => !inPart || !halves.has(by));
}

function canMove(path: TrackedPath): boolean {
  return !isOutside(path) && protectionOf(path) !== 'git';
}

/** One whose safety checkpoint was removed goes without: its changes tell the same. Oldest first. */
async function operationsOf(
  store: StoreReader,
  changes: readonly Change[],
  checkpoints: readonly Checkpoint[],
): Promise<Operation[]> {
  const wanted = new Set(changes.map(({ operationId }) => operationId));
  const there = new Set(checkpoints.map(({ id }) => id));
  const operations = (await store.timeline.operations()).toReversed();
  return operations.filter(
    ({ id, safetyCheckpointId }) => wanted.has(id) && there.has(safetyCheckpointId),
  );
}

export interface HistoryContext {
  /** Where an open change ends: with what is there now. */
  readonly endOf: (path: TrackedPath) => State;
  /** A state as it can be moved: one whose bytes are lost becomes unknown. */
  readonly moved: (state: State) => State;
}

type Rows = Omit<Collected, 'leftOut' | 'privateOut'>;

/** Makes collected rows a history of their own: closed, numbered anew, naming nothing that stays behind. */
export function makeHistory(rows: Rows, context: HistoryContext): History {
  return numberHistory(rows, context).history;
}

export interface NumberedHistory {
  readonly history: History;
  /** The number that a row got which had this one before; 0 for none. */
  readonly number: (seq: Seq) => Seq;
}

/** As `makeHistory`, with the way from old numbers to new ones. */
export function numberHistory(
  { sessions, checkpoints, operations, ...collected }: Rows,
  { endOf, moved }: HistoryContext,
): NumberedHistory {
  const changes = linked(
    collected.changes.map((change) => ({
      ...change,
      before: moved(change.before),
      after: moved(change.after ?? endOf(change.path)),
    })),
  );
  const number = numbering([checkpoints, changes, operations]);
  const session = idsOf(sessions);
  const checkpoint = idsOf(checkpoints);
  const operation = idsOf(operations);
  const numbers = new Set(changes.map(({ seq }) => seq));
  const movedWith = (coAuthors: Change['coAuthors']): Change['coAuthors'] => {
    const there = coAuthors?.filter(
      (one) => session(one.sessionId) !== null && checkpoint(one.checkpointId) !== null,
    );
    return there === undefined || there.length === 0 ? null : there;
  };
  const history: History = {
    sessions: sessions.map((row) => ({ ...row, run: null, owner: null, told: null })),
    checkpoints: checkpoints.map((row) => ({
      ...row,
      seq: number(row.seq),
      sessionId: session(row.sessionId),
      conversation: null,
      importedAt: null,
    })),
    changes: changes.map((row) => ({
      ...row,
      seq: number(row.seq),
      sessionId: session(row.sessionId),
      checkpointId: checkpoint(row.checkpointId),
      coAuthors: movedWith(row.coAuthors),
      operationId: operation(row.operationId),
      owner: null,
    })),
    operations: operations.map((row) => ({
      ...row,
      seq: number(row.seq),
      checkpointId: checkpoint(row.checkpointId),
      reverts: operation(row.reverts),
    })),
    cancellations: collected.cancellations
      .filter(({ by, change }) => numbers.has(by) && numbers.has(change))
      .map(({ by, change, inPart }) => ({ by: number(by), change: number(change), inPart })),
  };
  return { history, number };
}

/** Retention drops changes out of the middle of chains; what is left is tied together. */
function linked(changes: readonly EndedChange[]): EndedChange[] {
  const last = new Map<TrackedPath, State>();
  return changes.flatMap((change) => {
    const { path, before, after, seq, createdAt } = change;
    const previous = last.get(path);
    last.set(path, after);
    if (previous === undefined || joins(previous, before)) return [change];
    // Half a number before it: the numbers are given anew afterwards.
    const link = { ...outsider(createdAt), seq: seq - 0.5, path, before: previous, after: before };
    return [link, change];
  });
}

function numbering(lists: readonly (readonly { readonly seq: Seq }[])[]): (seq: Seq) => Seq {
  const order = lists.flatMap((rows) => rows.map(({ seq }) => seq)).sort((a, b) => a - b);
  const places = new Map(order.map((seq, at) => [seq, at + 1]));
  return (seq) => places.get(seq) ?? 0;
}

/** Gives back an id that one of the rows has, and null for any other. */
function idsOf(
  rows: readonly { readonly id: string }[],
): <Id extends string>(id: Id | null) => Id | null {
  const ids = new Set(rows.map(({ id }) => id));
  return (id) => (id !== null && ids.has(id) ? id : null);
}
