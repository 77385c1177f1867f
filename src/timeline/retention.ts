import type { Checkpoint } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import type { StepAttempt } from '../model/execution.ts';
import type { CheckpointId, OperationId, Seq } from '../model/ids.ts';
import type { Session } from '../model/session.ts';
import { currentSeq, findOperation, findSession, oldestCheckpointSeq } from '../store/find.ts';
import type { PruneResult, Store } from '../store/store.ts';

export interface RetentionRules {
  /** How long a session is kept after it was archived, and an operation after it was made. */
  readonly retentionDays: number;
  /** A session without activity for so long counts as archived. */
  readonly idleDays: number;
  readonly maxCheckpointsPerSession: number;
  /** How much a store may take on disk; beyond that the oldest archived sessions are removed. */
  readonly maxStoreBytes: number;
}

export const DEFAULT_RETENTION: RetentionRules = {
  retentionDays: 7,
  idleDays: 30,
  maxCheckpointsPerSession: 50,
  maxStoreBytes: 10 * 1024 ** 3,
};

/** Fills in the defaults. A rule that is undefined counts as left out. */
export function retentionRules(given: Partial<RetentionRules>): RetentionRules {
  const { retentionDays, idleDays, maxCheckpointsPerSession, maxStoreBytes } = DEFAULT_RETENTION;
  return {
    retentionDays: given.retentionDays ?? retentionDays,
    idleDays: given.idleDays ?? idleDays,
    maxCheckpointsPerSession: given.maxCheckpointsPerSession ?? maxCheckpointsPerSession,
    maxStoreBytes: given.maxStoreBytes ?? maxStoreBytes,
  };
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Everything that is older or more than the rules keep. */
async function expired(store: Store, rules: RetentionRules, now: number): Promise<Eviction> {
  const old = await expiredOperations(store, rules.retentionDays * DAY_MS, now);
  return {
    sessions: await expiredSessions(store, rules, now),
    checkpoints: [
      ...(await surplusCheckpoints(store, rules)),
      ...old.map((operation) => operation.safetyCheckpointId),
    ],
    operations: old.map((operation) => operation.id),
  };
}

/** When a session was archived, or counts as archived because it was idle for so long. */
function archivedAt(
  { archivedAt: at, lastActiveAt }: Session,
  { idleDays }: RetentionRules,
): number {
  return at ?? lastActiveAt + idleDays * DAY_MS;
}

/** Removes these checkpoints as targets. No changes or blobs are lost by it. */
export async function evictCheckpoints(store: Store, ids: readonly CheckpointId[]): Promise<void> {
  if (ids.length > 0)
    await store.timeline.commit({ base: await currentSeq(store), removedCheckpoints: ids });
}

async function expiredSessions(
  store: Store,
  rules: RetentionRules,
  now: number,
): Promise<string[]> {
  return (await store.timeline.sessions())
    .filter((session) => now - archivedAt(session, rules) >= rules.retentionDays * DAY_MS)
    .map((session) => session.id);
}

async function surplusCheckpoints(store: Store, rules: RetentionRules): Promise<CheckpointId[]> {
  const surplus: Checkpoint[] = [];
  for (const session of await store.timeline.sessions()) {
    const newestFirst = await store.timeline.checkpoints({ sessionIds: [session.id] });
    surplus.push(...newestFirst.slice(rules.maxCheckpointsPerSession));
  }
  return surplus.map((checkpoint) => checkpoint.id);
}

/** Operations older than `ageMs`. The newest one always stays: somebody may still want to undo it. */
async function expiredOperations(
  store: Store,
  ageMs: number,
  now: number,
): Promise<{ id: OperationId; safetyCheckpointId: CheckpointId }[]> {
  const [, ...older] = await store.timeline.operations();
  return older.filter((operation) => now - operation.createdAt >= ageMs);
}

/** What to remove. Without any of these: what the rules of retention no longer keep. */
export interface PruneRequest {
  /** Checkpoints made longer ago than this. */
  readonly olderThanMs?: number | undefined;
  /** All checkpoints except this many, the newest, of each session. */
  readonly keep?: number | undefined;
  /** The oldest checkpoints, while the store takes more than this. */
  readonly maxBytes?: number | undefined;
  /** Only checkpoints of this session. */
  readonly sessionId?: string | undefined;
}

/**
 * Chooses what to remove. The newest checkpoint of a session stays until the session is archived, because
 * somebody may be at work there.
 */
export async function planEviction(
  store: Store,
  request: PruneRequest,
  rules: RetentionRules,
  now: number,
): Promise<Eviction> {
  const { olderThanMs, keep, maxBytes, sessionId } = request;
  const asked = olderThanMs !== undefined || keep !== undefined || maxBytes !== undefined;
  if (sessionId !== undefined) await requireSession(store, sessionId, asked);
  const first = asked ? await chosen(store, request, rules, now) : await expired(store, rules, now);
  const limit = asked ? maxBytes : rules.maxStoreBytes;
  if (limit === undefined) return first;
  return fitInto(store, limit, first, await stepsOf(store, request, rules, now, asked));
}

async function chosen(
  store: Store,
  request: PruneRequest,
  rules: RetentionRules,
  now: number,
): Promise<Eviction> {
  const { olderThanMs = Number.POSITIVE_INFINITY, sessionId } = request;
  const most = request.keep ?? Number.POSITIVE_INFINITY;
  const isOld = (createdAt: number): boolean => now - createdAt >= olderThanMs;
  const all = await ofRequest(store, request);
  const sessions = (await sessionsOf(store, request)).filter(
    (session) => archivedAt(session, rules) <= now && isOld(session.lastActiveAt),
  );
  const operations =
    sessionId === undefined ? await expiredOperations(store, olderThanMs, now) : [];
  const checkpoints = [...Map.groupBy(all, (one) => one.sessionId)].flatMap(([session, list]) =>
    // Checkpoints without a session are independent of each other, so `keep` does not count them.
    session === null
      ? list.filter(({ kind, createdAt }) => kind !== 'safety' && isOld(createdAt))
      : list.slice(1).filter(({ createdAt }, at) => isOld(createdAt) || at + 1 >= most),
  );
  return {
    sessions: sessions.map(({ id }) => id),
    checkpoints: [
      ...checkpoints.map(({ id }) => id),
      ...operations.map(({ safetyCheckpointId }) => safetyCheckpointId),
    ],
    operations: operations.map(({ id }) => id),
  };
}

/** What to remove next, step by step: archived sessions, the oldest first, then old checkpoints. */
async function stepsOf(
  store: Store,
  request: PruneRequest,
  rules: RetentionRules,
  now: number,
  withCheckpoints: boolean,
): Promise<Eviction[]> {
  const archived = (await sessionsOf(store, request)).filter(
    (session) => archivedAt(session, rules) <= now,
  );
  const sessions = archived.toReversed().map(({ id }) => sessionStep(id));
  if (!withCheckpoints) return sessions;
  const all = await ofRequest(store, request);
  const newest = new Set(
    [...Map.groupBy(all, (one) => one.sessionId).values()].map(([one]) => one),
  );
  const old = all.filter((one) => one.kind !== 'safety' && !newest.has(one)).toReversed();
  return [...sessions, ...old.map(({ id }) => checkpointStep(id))];
}

/** Takes as many of the steps as needed to fit the limit, by the store's own estimate. */
async function fitInto(
  store: Store,
  limit: number,
  first: Eviction,
  steps: readonly Eviction[],
): Promise<Eviction> {
  const { storedBytes, packedBytes } = await store.maintain('stats');
  const fits = async (count: number): Promise<boolean> => {
    const { bytes } = await store.maintain(
      'prunable',
      await floorAfter(store, together(first, steps, count)),
    );
    return storedBytes + packedBytes - bytes <= limit;
  };
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (await fits(middle)) high = middle;
    else low = middle + 1;
  }
  return together(first, steps, low);
}

function together(first: Eviction, steps: readonly Eviction[], count: number): Eviction {
  const all = [first, ...steps.slice(0, count)];
  return {
    sessions: [...new Set(all.flatMap(({ sessions }) => sessions))],
    checkpoints: [...new Set(all.flatMap(({ checkpoints }) => checkpoints))],
    operations: first.operations,
  };
}

function sessionStep(id: string): Eviction {
  return { sessions: [id], checkpoints: [], operations: [] };
}

function checkpointStep(id: Checkpoint['id']): Eviction {
  return { sessions: [], checkpoints: [id], operations: [] };
}

/** Newest first. */
function ofRequest(store: Store, { sessionId }: PruneRequest): Promise<readonly Checkpoint[]> {
  return store.timeline.checkpoints(sessionId === undefined ? {} : { sessionIds: [sessionId] });
}

async function sessionsOf(store: Store, { sessionId }: PruneRequest): Promise<readonly Session[]> {
  const all = await store.timeline.sessions();
  return sessionId === undefined ? all : all.filter(({ id }) => id === sessionId);
}

async function requireSession(store: Store, id: string, asked: boolean): Promise<void> {
  if (!asked) throw new SavepointError('argument-invalid', 'what of the session is to go?');
  if ((await findSession(store, id)) !== null) return;
  throw new SavepointError('session-not-found', 'no session has this id', { details: { id } });
}

/** What to remove: checkpoints as targets, and operations, which can then no longer be undone. */
export interface Eviction {
  /** Sessions, with all their checkpoints. */
  readonly sessions: readonly string[];
  readonly checkpoints: readonly CheckpointId[];
  readonly operations: readonly OperationId[];
}

const NOTHING: Eviction = { sessions: [], checkpoints: [], operations: [] };

export function isEmpty({ sessions, checkpoints, operations }: Eviction): boolean {
  return sessions.length + checkpoints.length + operations.length === 0;
}

/**
 * Removes it, and then all changes and blobs below the oldest checkpoint or operation that is left. Those
 * stay completely restorable. The caller holds the project lock.
 */
export async function carryOutEviction(store: Store, eviction: Eviction): Promise<PruneResult> {
  await store.timeline.commit({
    base: await currentSeq(store),
    steps: await stepsRolledBackBy(store, eviction.operations),
    removedSessions: eviction.sessions,
    removedCheckpoints: eviction.checkpoints,
    removedOperations: eviction.operations,
  });
  return store.maintain('prune', await floorAfter(store, NOTHING));
}

/** These steps count as rolled back because of an operation. When it is removed, they must say so themselves. */
async function stepsRolledBackBy(
  store: Store,
  operations: readonly OperationId[],
): Promise<StepAttempt[]> {
  const settled: StepAttempt[] = [];
  const going = new Set(operations);
  if (going.size === 0) return settled;
  for (const { id } of await store.timeline.executions()) {
    for (const step of await store.timeline.steps(id)) {
      if (step.rolledBackBy === null || !going.has(step.rolledBackBy)) continue;
      const inEffect = (await findOperation(store, step.rolledBackBy))?.inEffect ?? false;
      const status = inEffect ? ('rolled-back' as const) : step.status;
      settled.push({ ...step, status, rolledBackBy: null });
    }
  }
  return settled;
}

/**
 * Changes below this number are no longer needed: every checkpoint that is left can be restored without
 * them. Every operation on record can be undone, even if its safety checkpoint was evicted by hand.
 */
export async function floorAfter(store: Store, eviction: Eviction): Promise<Seq> {
  const end = (await currentSeq(store)) + 1;
  const sessions = new Set<string | null>(eviction.sessions);
  const checkpoints = new Set(eviction.checkpoints);
  const operations = new Set(eviction.operations);
  const oldestCheckpoint = isEmpty(eviction)
    ? await oldestCheckpointSeq(store)
    : (await store.timeline.checkpoints({})).findLast(
        ({ id, sessionId }) => !checkpoints.has(id) && !sessions.has(sessionId),
      )?.seq;
  const oldestOperation = (await store.timeline.operations()).findLast(
    ({ id }) => !operations.has(id),
  );
  return Math.min(oldestCheckpoint ?? end, oldestOperation?.seq ?? end);
}
