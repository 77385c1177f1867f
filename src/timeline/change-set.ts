import {
  type Cancellation,
  type Change,
  importedAt,
  leavesAsItWas,
  liveChanges,
} from '../model/change.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { Seq } from '../model/ids.ts';
import type { Operation } from '../model/operation.ts';
import { isBelow, type TrackedPath } from '../model/path.ts';
import { findSession } from '../store/find.ts';
import type { ChangeQuery, Store } from '../store/store.ts';
import { latestRuns, takesBack } from './sessions.ts';

/** Which changes to take back. */
export type SetRequest =
  /**
   * All changes of this session since, or else of the checkpoint's, and of the runs that followed it where it
   * is a run; of everybody where it belongs to none.
   */
  | { readonly take: 'since'; readonly checkpoint: Checkpoint; readonly sessionId?: string }
  /** The changes of this one message. */
  | { readonly take: 'message'; readonly checkpoint: Checkpoint }
  /** All changes of everybody since: the tree as it was. */
  | { readonly take: 'exact'; readonly checkpoint: Checkpoint }
  /** The changes of one operation. */
  | { readonly take: 'operation'; readonly operation: Operation };

export interface SetOptions {
  /** Only these paths and what is below them. */
  readonly paths: readonly TrackedPath[] | null;
  readonly includeShared: boolean;
}

/** A path's chain from the oldest change of the set on, and which of its changes to take back. */
export interface PathChain {
  readonly path: TrackedPath;
  readonly changes: readonly Change[];
  readonly set: ReadonlySet<Seq>;
  /** Changes that were left out because their attribution is shared. */
  readonly shared: number;
  /** All of it was taken back before (`exact` only), so nothing is left to do if the path is as it was. */
  readonly settled: boolean;
}

export interface ChangeSet {
  readonly chains: readonly PathChain[];
  /** The sessions whose changes are taken; null for everybody's. */
  readonly sessionIds: readonly string[] | null;
}

/** Loads the set and the chains it lies in. Reads the store only. */
export async function loadChangeSet(
  store: Store,
  request: SetRequest,
  options: SetOptions,
): Promise<ChangeSet> {
  const sessionIds = await familyOf(store, request);
  const candidates = (await store.timeline.changes(queryFor(request, sessionIds))).filter(
    (change) => isWanted(request, change, sessionIds) && isSelected(change.path, options.paths),
  );
  const holdsOperations = sessionIds === null && request.take !== 'operation';
  const chains = await loadChains(store, candidates, holdsOperations);
  return { chains: chains.map((chain) => chosen(chain, request, options)), sessionIds };
}

/** The paths that other agents than those of a set changed since its checkpoint, and that are still so. */
export async function changedByOthers(
  store: Store,
  checkpoint: Checkpoint,
  { sessionIds }: ChangeSet,
): Promise<TrackedPath[]> {
  const everybody = { take: 'since', checkpoint: { ...checkpoint, sessionId: null } } as const;
  const all = { paths: null, includeShared: true };
  const { chains } = await loadChangeSet(store, everybody, all);
  const own = new Set<string | null>(sessionIds);
  const isOthers = ({ origin, sessionId }: Change): boolean =>
    (origin === 'tool' || origin === 'shell') && !own.has(sessionId);
  return chains
    .filter(({ changes, set }) => changes.some((one) => set.has(one.seq) && isOthers(one)))
    .map(({ path }) => path);
}

/**
 * The paths that runs changed since a run began, and that are still so, where a rewind to it leaves those runs
 * alone because they overlapped with it.
 */
export async function changedByRunsBeside(
  store: Store,
  checkpoint: Checkpoint,
  { sessionIds }: ChangeSet,
): Promise<TrackedPath[]> {
  const own = await findSession(store, checkpoint.sessionId ?? '');
  if (own?.run == null) return [];
  const { began } = own.run;
  const all = await store.timeline.sessions();
  const beside = all.filter(({ run }) => run && (run.ended === null || run.ended > began));
  const roots = new Set(beside.map(({ rootId }) => rootId));
  const taken = new Set(sessionIds);
  const others = all.filter(({ id, rootId }) => roots.has(rootId) && !taken.has(id));
  if (others.length === 0) return [];
  const changes = await store.timeline.changes({
    after: checkpoint.seq,
    sessionIds: others.map(({ id }) => id),
  });
  const real = changes.filter((change) => !leavesAsItWas(change));
  const request = { take: 'since', checkpoint } as const;
  const chains = (await loadChains(store, real, false)).map((chain) =>
    chosen(chain, request, { paths: null, includeShared: true }),
  );
  return chains.filter(({ set }) => set.size > 0).map(({ path }) => path);
}

/** The session, and those whose changes a rewind takes back with its own; null for everybody's. */
async function familyOf(store: Store, request: SetRequest): Promise<string[] | null> {
  const named = request.take === 'since' ? request.sessionId : undefined;
  const id = named ?? (request.take === 'operation' ? null : request.checkpoint.sessionId);
  if (id === null || request.take === 'exact') return null;
  const all = await store.timeline.sessions();
  const own = all.find((session) => session.id === id);
  const runs = request.take === 'since' ? latestRuns(all) : new Map<string, Seq>();
  const family = all.filter((session) =>
    own === undefined ? session.rootId === id : takesBack(own, session, runs),
  );
  return [...new Set([id, ...family.map((session) => session.id)])];
}

function queryFor(request: SetRequest, sessionIds: readonly string[] | null): ChangeQuery {
  if (request.take === 'operation') return { operationId: request.operation.id };
  if (request.take === 'message') return { checkpointIds: [request.checkpoint.id] };
  const after = request.checkpoint.seq;
  return sessionIds === null ? { after } : { after, sessionIds };
}

function isWanted(request: SetRequest, change: Change, family: readonly string[] | null): boolean {
  if (request.take === 'operation' || request.take === 'message') return true;
  // Changes of a later import did not happen here, and left every path as it was.
  if ((importedAt(change) ?? 0) > request.checkpoint.seq && !goesOn(change, request.checkpoint)) {
    return false;
  }
  // For a checkpoint without a session: the changes of agents and operations, not a person's.
  return request.take === 'exact' || family !== null || change.origin !== 'outside';
}

/** Whether an imported change goes on with the session of an imported checkpoint: it happened since, elsewhere. */
function goesOn({ owner }: Change, checkpoint: Checkpoint): boolean {
  if (owner?.kind !== 'import' || checkpoint.importedAt === null) return false;
  return owner.continues !== undefined && owner.continues <= checkpoint.importedAt;
}

/** Whether a path is one of these, or below one; null stands for all. */
export function isSelected(path: TrackedPath, paths: readonly TrackedPath[] | null): boolean {
  return paths === null || paths.some((chosen) => path === chosen || isBelow(path, chosen));
}

interface LoadedChain {
  readonly path: TrackedPath;
  readonly changes: readonly Change[];
  readonly candidates: ReadonlySet<Seq>;
  readonly cancellations: readonly Cancellation[];
}

async function loadChains(
  store: Store,
  candidates: readonly Change[],
  holdsOperations: boolean,
): Promise<LoadedChain[]> {
  const oldest = candidates[0];
  if (oldest === undefined) return [];
  const paths = [...new Set(candidates.map((change) => change.path))];
  // If operations can be in the set, the changes that they cancelled may be older.
  const after = holdsOperations ? 0 : oldest.seq - 1;
  const changes = await store.timeline.changes({ paths, after });
  const cancellations = await store.timeline.cancellations(changes.map((change) => change.seq));
  // Whoever took back hunks may have taken back those of older changes as well.
  const isInPart = cancellations.some(({ inPart }) => inPart);
  if (isInPart && after > 0) return loadChains(store, candidates, true);
  const pathOf = new Map(changes.map((change) => [change.seq, change.path]));
  const byPath = Map.groupBy(changes, (change) => change.path);
  const pairsByPath = Map.groupBy(cancellations, (pair) => pathOf.get(pair.change));
  const wanted = new Set(candidates.map((change) => change.seq));
  return paths.map((path) => ({
    path,
    changes: byPath.get(path) ?? [],
    candidates: wanted,
    cancellations: pairsByPath.get(path) ?? [],
  }));
}

function chosen(chain: LoadedChain, request: SetRequest, options: SetOptions): PathChain {
  const { path, changes } = chain;
  const candidates = changes.filter((change) => chain.candidates.has(change.seq));
  const live = liveChanges(changes, chain.cancellations);
  const left = withoutPairs(candidates, chain, live);
  if (request.take === 'exact') {
    // Everything is taken, even if it was taken back in between: only the old state counts.
    const set = new Set(candidates.map((change) => change.seq));
    return { path, changes, set, shared: 0, settled: left.length === 0 };
  }
  const taken = left.filter((change) => options.includeShared || isCertain(change, request));
  const set = new Set(taken.map((change) => change.seq));
  addTakenInPart(set, chain, live);
  const kept = left.filter((change) => !set.has(change.seq) && !leavesAsItWas(change));
  return { path, changes, set, shared: kept.length, settled: false };
}

/** Whether a change belongs to the set for certain. Another message of the session may have made it. */
function isCertain({ attribution, coAuthors }: Change, { take }: SetRequest): boolean {
  return attribution !== 'shared' && (take !== 'message' || coAuthors === null);
}

/**
 * Adds the changes that took back hunks of changes of the set, and of no others. Where all of the set goes back, so do
 * they, and the path has the bytes that it had before.
 */
function addTakenInPart(
  set: Set<Seq>,
  { cancellations }: LoadedChain,
  live: ReadonlySet<Seq>,
): void {
  const inPart = cancellations.filter((pair) => pair.inPart && live.has(pair.by));
  // Oldest first: the next one may have taken back a part of what this one brought.
  for (const [by, pairs] of Map.groupBy(inPart, (pair) => pair.by)) {
    if (pairs.every(({ change }) => set.has(change))) set.add(by);
  }
}

/**
 * Keeps live changes only. Drops a rewind if all changes that it cancelled are candidates too; `addTakenInPart` adds it
 * again where it took back only some hunks of them.
 */
function withoutPairs(
  candidates: readonly Change[],
  chain: LoadedChain,
  live: ReadonlySet<Seq>,
): Change[] {
  const cancelledBy = Map.groupBy(chain.cancellations, (pair) => pair.by);
  const inside = new Set(candidates.map((change) => change.seq));
  // If a person's changes come back, the changes between them must not be left out.
  if (candidates.some(({ seq }) => live.has(seq) && tookPeoples(seq))) return [...candidates];
  return candidates.filter((change) => {
    if (!live.has(change.seq)) {
      // If its canceller is taken back, the change would come back unless it is in the set as well.
      return chain.cancellations.some(
        (pair) =>
          pair.change === change.seq && !pair.inPart && live.has(pair.by) && staysIn(pair.by),
      );
    }
    return change.origin !== 'operation' || staysIn(change.seq);
  });

  /** Whether a live canceller must be taken back itself: some changes that it cancelled are not in the set. */
  function staysIn(by: Seq): boolean {
    const pairs = cancelledBy.get(by) ?? [];
    const whole = pairs.length > 0 && pairs.every((pair) => inside.has(pair.change));
    return inside.has(by) && !whole;
  }

  function tookPeoples(by: Seq): boolean {
    const taken = new Set(cancelledBy.get(by)?.map((pair) => pair.change));
    return chain.changes.some(
      ({ seq, origin }) => taken.has(seq) && origin === 'outside' && !inside.has(seq),
    );
  }
}
