import type { Checkpoint } from '../model/checkpoint.ts';
import type { StepAttempt } from '../model/execution.ts';
import type { CheckpointId, OperationId, Seq } from '../model/ids.ts';
import type { Session } from '../model/session.ts';
import { currentSeq, findOperation, oldestCheckpointSeq } from '../store/find.ts';
import type { PruneResult, Store } from '../store/store.ts';
import { latestRuns, takesBack } from './sessions.ts';

/** What to remove: checkpoints as targets, and operations, which can then no longer be undone. */
export interface Eviction {
  /** Sessions, with all their checkpoints. */
  readonly sessions: readonly string[];
  readonly checkpoints: readonly CheckpointId[];
  readonly operations: readonly OperationId[];
}

export const NOTHING: Eviction = { sessions: [], checkpoints: [], operations: [] };

export function isEmpty({ sessions, checkpoints, operations }: Eviction): boolean {
  return sessions.length + checkpoints.length + operations.length === 0;
}

/** Removes these checkpoints as targets. No changes or blobs are lost by it. */
export async function evictCheckpoints(store: Store, ids: readonly CheckpointId[]): Promise<void> {
  if (ids.length > 0)
    await store.timeline.commit({ base: await currentSeq(store), removedCheckpoints: ids });
}

/**
 * The sessions of these that an eviction can remove. Changes of a session that is removed belong to nobody
 * from then on. So it stays, without checkpoints, while a rewind to a checkpoint that is left takes them back.
 */
export async function removableSessions(
  store: Store,
  candidates: readonly Session[],
  eviction: Eviction,
): Promise<Session[]> {
  const oldest = oldestLeft(await store.timeline.checkpoints({}), eviction);
  const empty = candidates.filter(({ id }) => !oldest.has(id));
  if (empty.length === 0) return [];
  const all = await store.timeline.sessions();
  const runs = latestRuns(all);
  const left = all.filter(({ id }) => oldest.has(id));
  // The oldest checkpoint from which a rewind takes back what this session did.
  const sinceOf = (session: Session): Seq =>
    left
      .filter((own) => takesBack(own, session, runs))
      .reduce((since, { id }) => Math.min(since, oldest.get(id) ?? since), NEVER);
  const since = new Map(empty.map((session) => [session, sinceOf(session)]));
  const newest = await newestChanges(store, since, all);
  return empty.filter((session) => {
    // Sub-agents are found by the row of their run, even if it has changed nothing itself.
    const ids = session.run === null ? [session.id] : familyOf(session, all);
    return !ids.some((id) => (newest.get(id) ?? 0) > (since.get(session) ?? NEVER));
  });
}

const NEVER = Number.POSITIVE_INFINITY;

/** The oldest checkpoint of each session that an eviction leaves. */
function oldestLeft(
  newestFirst: readonly Checkpoint[],
  eviction: Eviction,
): ReadonlyMap<string | null, Seq> {
  const going = new Set(eviction.checkpoints);
  const left = newestFirst.filter(({ id }) => !going.has(id));
  return new Map(left.map(({ sessionId, seq }) => [sessionId, seq]));
}

/** The newest change of each of these sessions and of their families, as far as a rewind may need it. */
async function newestChanges(
  store: Store,
  since: ReadonlyMap<Session, Seq>,
  all: readonly Session[],
): Promise<ReadonlyMap<string | null, Seq>> {
  const held = [...since.keys()].filter((session) => since.get(session) !== NEVER);
  if (held.length === 0) return new Map();
  const roots = new Set(held.map(({ rootId }) => rootId));
  const sessionIds = all.filter(({ rootId }) => roots.has(rootId)).map(({ id }) => id);
  const after = [...since.values()].reduce((one, other) => Math.min(one, other));
  const oldestFirst = await store.timeline.changes({ sessionIds, after });
  return new Map(oldestFirst.map(({ sessionId, seq }) => [sessionId, seq]));
}

function familyOf({ rootId }: Session, all: readonly Session[]): string[] {
  return all.filter((session) => session.rootId === rootId).map(({ id }) => id);
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
