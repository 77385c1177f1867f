import type { Checkpoint } from '../model/checkpoint.ts';
import type { CheckpointId, OperationId } from '../model/ids.ts';
import type { Session } from '../model/session.ts';
import type { PruneResult, Store } from '../store/store.ts';
import { carryOutEviction, type Eviction, NOTHING } from './eviction.ts';

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

/** A rule that is set to undefined is one that was left out, not one that keeps nothing. */
export function retentionRules(given: Partial<RetentionRules>): RetentionRules {
  const { retentionDays, idleDays, maxCheckpointsPerSession, maxStoreBytes } = DEFAULT_RETENTION;
  return {
    retentionDays: given.retentionDays ?? retentionDays,
    idleDays: given.idleDays ?? idleDays,
    maxCheckpointsPerSession: given.maxCheckpointsPerSession ?? maxCheckpointsPerSession,
    maxStoreBytes: given.maxStoreBytes ?? maxStoreBytes,
  };
}

export interface EvictionResult extends PruneResult {
  readonly sessions: number;
  readonly checkpoints: number;
  readonly operations: number;
}

export const DAY_MS: number = 24 * 60 * 60 * 1000;

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
  const eviction = await expired(store, rules, now);
  const removed = { ...eviction, sessions: [...eviction.sessions] };
  const before = await store.stats();
  let pruned = await carryOutEviction(store, eviction);
  for (let id = await surplusSession(store, rules, now); id !== null; ) {
    removed.sessions.push(id);
    pruned = sumOf(pruned, await carryOutEviction(store, { ...NOTHING, sessions: [id] }));
    id = await surplusSession(store, rules, now);
  }
  const after = await store.stats();
  return {
    ...pruned,
    sessions: removed.sessions.length,
    checkpoints: before.checkpoints - after.checkpoints,
    operations: removed.operations.length,
  };
}

/** What the rules no longer keep, whatever the store holds. */
export async function expired(store: Store, rules: RetentionRules, now: number): Promise<Eviction> {
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

/** When a session counts as archived: since it was, or from when on nobody will have used it for long. */
export function archivedAt(
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

/** Older than `ageMs`. The newest operation always stays: somebody may still want to undo it. */
export async function expiredOperations(
  store: Store,
  ageMs: number,
  now: number,
): Promise<{ id: OperationId; safetyCheckpointId: CheckpointId }[]> {
  const [, ...older] = await store.operations();
  return older.filter((operation) => now - operation.createdAt >= ageMs);
}
