import type { Checkpoint } from '../model/checkpoint.ts';
import type { CheckpointId, OperationId } from '../model/ids.ts';
import type { Session } from '../model/session.ts';
import type { PruneResult, Store } from '../store/store.ts';

export interface RetentionRules {
  /** How long a session is kept after it was archived, and an operation after it was made. */
  readonly retentionDays: number;
  /** A session without activity for so long counts as archived. */
  readonly idleDays: number;
  readonly maxCheckpointsPerSession: number;
  /** What a store may hold on disk; beyond it the oldest archived sessions go. */
  readonly maxStoreBytes: number;
}

export const DEFAULT_RETENTION: RetentionRules = {
  retentionDays: 7,
  idleDays: 30,
  maxCheckpointsPerSession: 50,
  maxStoreBytes: 10 * 1024 ** 3,
};

export interface EvictionResult extends PruneResult {
  readonly sessions: number;
  readonly checkpoints: number;
  readonly operations: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Removes what the rules no longer keep. Eviction takes checkpoints away as targets; changes and blobs
 * go only below the oldest checkpoint or operation that is left, so each of those stays wholly
 * restorable. The caller holds the project lock.
 */
export async function evict(
  store: Store,
  rules: RetentionRules,
  now: number,
): Promise<EvictionResult> {
  const removedSessions = await expiredSessions(store, rules, now);
  const old = await expiredOperations(store, rules, now);
  const removedCheckpoints = [
    ...(await surplusCheckpoints(store, rules)),
    ...old.map((operation) => operation.safetyCheckpointId),
  ];
  const removedOperations = old.map((operation) => operation.id);
  const before = await store.stats();
  await store.commit({
    base: await store.seq(),
    removedSessions,
    removedCheckpoints,
    removedOperations,
  });
  let pruned = await pruneUnreachable(store);
  for (let id = await surplusSession(store, rules, now); id !== null; ) {
    removedSessions.push(id);
    await store.commit({ base: await store.seq(), removedSessions: [id] });
    pruned = sumOf(pruned, await pruneUnreachable(store));
    id = await surplusSession(store, rules, now);
  }
  const after = await store.stats();
  return {
    ...pruned,
    sessions: removedSessions.length,
    checkpoints: before.checkpoints - after.checkpoints,
    operations: removedOperations.length,
  };
}

/** The oldest archived session, while the store holds more than it may; null when nothing more may go. */
async function surplusSession(
  store: Store,
  rules: RetentionRules,
  now: number,
): Promise<string | null> {
  const { storedBytes, packedBytes } = await store.stats();
  if (storedBytes + packedBytes <= rules.maxStoreBytes) return null;
  const archived = (await store.sessions()).filter((one) => archivedAt(one, rules) <= now);
  return archived.at(-1)?.id ?? null;
}

function archivedAt(
  { archivedAt: at, lastActiveAt }: Session,
  { idleDays }: RetentionRules,
): number {
  return at ?? lastActiveAt + idleDays * DAY_MS;
}

function sumOf(one: PruneResult, other: PruneResult): PruneResult {
  return {
    changes: one.changes + other.changes,
    blobs: one.blobs + other.blobs,
    bytes: one.bytes + other.bytes,
  };
}

/** Removes these checkpoints as targets. Nothing else is lost by it. */
export async function evictCheckpoints(store: Store, ids: readonly CheckpointId[]): Promise<void> {
  if (ids.length > 0) await store.commit({ base: await store.seq(), removedCheckpoints: ids });
}

/** An operation on record can be undone, even where its safety checkpoint was evicted by hand. */
async function pruneUnreachable(store: Store): Promise<PruneResult> {
  const end = (await store.seq()) + 1;
  const checkpoint = await store.oldestCheckpointSeq();
  const operation = (await store.operations()).at(-1);
  return store.prune(Math.min(checkpoint ?? end, operation?.seq ?? end));
}

async function expiredSessions(
  store: Store,
  rules: RetentionRules,
  now: number,
): Promise<string[]> {
  return (await store.sessions())
    .filter((session) => now - archivedAt(session, rules) >= rules.retentionDays * DAY_MS)
    .map((session) => session.id);
}

async function surplusCheckpoints(store: Store, rules: RetentionRules): Promise<CheckpointId[]> {
  const surplus: Checkpoint[] = [];
  for (const session of await store.sessions()) {
    const newestFirst = await store.checkpoints({ sessionIds: [session.id] });
    surplus.push(...newestFirst.slice(rules.maxCheckpointsPerSession));
  }
  return surplus.map((checkpoint) => checkpoint.id);
}

/** The newest operation always stays: somebody may still want to undo it. */
async function expiredOperations(
  store: Store,
  rules: RetentionRules,
  now: number,
): Promise<{ id: OperationId; safetyCheckpointId: CheckpointId }[]> {
  const [, ...older] = await store.operations();
  return older.filter((operation) => now - operation.createdAt >= rules.retentionDays * DAY_MS);
}
