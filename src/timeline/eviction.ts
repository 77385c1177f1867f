import type { StepAttempt } from '../model/execution.ts';
import type { CheckpointId, OperationId, Seq } from '../model/ids.ts';
import type { PruneResult, Store } from '../store/store.ts';

/** What is to be taken away: targets, and the operations that can no longer be undone. */
export interface Eviction {
  /** With all their checkpoints. */
  readonly sessions: readonly string[];
  readonly checkpoints: readonly CheckpointId[];
  readonly operations: readonly OperationId[];
}

export function isEmpty({ sessions, checkpoints, operations }: Eviction): boolean {
  return sessions.length + checkpoints.length + operations.length === 0;
}

/** Takes it away, and then what nothing reaches any more. The caller holds the project lock. */
export async function carryOutEviction(store: Store, eviction: Eviction): Promise<PruneResult> {
  await store.commit({
    base: await store.seq(),
    steps: await stepsRolledBackBy(store, eviction.operations),
    removedSessions: eviction.sessions,
    removedCheckpoints: eviction.checkpoints,
    removedOperations: eviction.operations,
  });
  return store.prune(await floorAfter(store, NOTHING));
}

/** A step is rolled back by an operation in effect: when the operation goes, the step has to say so itself. */
async function stepsRolledBackBy(
  store: Store,
  operations: readonly OperationId[],
): Promise<StepAttempt[]> {
  const settled: StepAttempt[] = [];
  const going = new Set(operations);
  if (going.size === 0) return settled;
  for (const { id } of await store.executions()) {
    for (const step of await store.steps(id)) {
      if (step.rolledBackBy === null || !going.has(step.rolledBackBy)) continue;
      const inEffect = (await store.operation(step.rolledBackBy))?.inEffect ?? false;
      const status = inEffect ? ('rolled-back' as const) : step.status;
      settled.push({ ...step, status, rolledBackBy: null });
    }
  }
  return settled;
}

export const NOTHING: Eviction = { sessions: [], checkpoints: [], operations: [] };

/**
 * Below this number no change would be needed any more: all checkpoints that are left can still be returned
 * to wholly. An operation on record can be undone, even where its safety checkpoint was evicted by hand.
 */
export async function floorAfter(store: Store, eviction: Eviction): Promise<Seq> {
  const end = (await store.seq()) + 1;
  const sessions = new Set<string | null>(eviction.sessions);
  const checkpoints = new Set(eviction.checkpoints);
  const operations = new Set(eviction.operations);
  const oldestCheckpoint = isEmpty(eviction)
    ? await store.oldestCheckpointSeq()
    : (await store.checkpoints({})).findLast(
        ({ id, sessionId }) => !checkpoints.has(id) && !sessions.has(sessionId),
      )?.seq;
  const oldestOperation = (await store.operations()).findLast(({ id }) => !operations.has(id));
  return Math.min(oldestCheckpoint ?? end, oldestOperation?.seq ?? end);
}
