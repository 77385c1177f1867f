import type { Checkpoint } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import type { Session } from '../model/session.ts';
import type { Store } from '../store/store.ts';
import { type Eviction, floorAfter } from './eviction.ts';
import { archivedAt, expired, expiredOperations, type RetentionRules } from './retention.ts';

/** What may go. Without any of these: what the rules of retention no longer keep. */
export interface PruneRequest {
  /** Checkpoints made longer ago than this. */
  readonly olderThanMs?: number | undefined;
  /** All but so many, the newest, of each session. */
  readonly keep?: number | undefined;
  /** The oldest, as long as the store holds more. */
  readonly maxBytes?: number | undefined;
  /** Only checkpoints of this session. */
  readonly sessionId?: string | undefined;
}

/**
 * What would go. The newest checkpoint of a session stays until the session is archived: somebody may be
 * at work there.
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
    // Those of no session are each for themselves, and no number of them is too many.
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

/** What could go next, one after the other: archived sessions, the oldest first, then old checkpoints. */
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

/** As many of the steps as it takes, by what the store says would come back, and no more. */
async function fitInto(
  store: Store,
  limit: number,
  first: Eviction,
  steps: readonly Eviction[],
): Promise<Eviction> {
  const { storedBytes, packedBytes } = await store.stats();
  const fits = async (count: number): Promise<boolean> => {
    const { bytes } = await store.prunable(await floorAfter(store, together(first, steps, count)));
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
  return store.checkpoints(sessionId === undefined ? {} : { sessionIds: [sessionId] });
}

async function sessionsOf(store: Store, { sessionId }: PruneRequest): Promise<readonly Session[]> {
  const all = await store.sessions();
  return sessionId === undefined ? all : all.filter(({ id }) => id === sessionId);
}

async function requireSession(store: Store, id: string, asked: boolean): Promise<void> {
  if (!asked) throw new SavepointError('argument-invalid', 'what of the session is to go?');
  if ((await store.session(id)) !== null) return;
  throw new SavepointError('session-not-found', 'no session has this id', { details: { id } });
}
