import { type Cancellation, type Change, leavesAsItWas, liveChanges } from '../model/change.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { OperationId, Seq } from '../model/ids.ts';
import type { Operation } from '../model/operation.ts';
import type { Session } from '../model/session.ts';
import { findSession } from '../store/find.ts';
import type { Store } from '../store/store.ts';
import { type LineCount, lineCounter } from './line-counts.ts';

export interface InspectedChange extends Change, LineCount {
  /** Whether an operation took it back and is still in effect. */
  readonly takenBack: boolean;
}

/** Everything on record of one checkpoint. */
export interface InspectedCheckpoint {
  readonly checkpoint: Checkpoint;
  /** Null where the checkpoint belongs to no session. */
  readonly session: Session | null;
  /** The changes made under it, by path and then in order; none that left its path as it was. */
  readonly changes: readonly InspectedChange[];
  /** Operations that returned to it, took it back, or brought it back; newest first. */
  readonly operations: readonly Operation[];
  /** The operation before which it was made, for a safety checkpoint. */
  readonly madeBefore: Operation | null;
}

export async function inspectCheckpoint(
  store: Store,
  checkpoint: Checkpoint,
): Promise<InspectedCheckpoint> {
  const { id, sessionId } = checkpoint;
  const found = await store.timeline.changes({ checkpointIds: [id] });
  const changes = found.filter((change) => !leavesAsItWas(change));
  const { live, touchedBy } = await fateOf(store, changes);
  const operations = await store.timeline.operations();
  const count = lineCounter(store);
  const inspected: InspectedChange[] = [];
  for (const change of changes.toSorted(byPath)) {
    const lines = await count(change);
    inspected.push({ ...change, ...lines, takenBack: !live.has(change.seq) });
  }
  return {
    checkpoint,
    session: sessionId === null ? null : await findSession(store, sessionId),
    changes: inspected,
    operations: operations.filter((one) => one.checkpointId === id || touchedBy.has(one.id)),
    madeBefore: operations.find((one) => one.safetyCheckpointId === id) ?? null,
  };
}

interface Fate {
  readonly live: ReadonlySet<Seq>;
  readonly touchedBy: ReadonlySet<OperationId>;
}

/** Which of these changes are live, and which operations took them back, directly or in turn. */
async function fateOf(store: Store, changes: readonly Change[]): Promise<Fate> {
  const paths = [...new Set(changes.map(({ path }) => path))];
  const chains = await store.timeline.changes({ paths, after: (changes[0]?.seq ?? 1) - 1 });
  const cancellations = await store.timeline.cancellations(chains.map(({ seq }) => seq));
  const touching = cancellersOf(changes, cancellations);
  const touchedBy = chains.flatMap(({ seq, operationId }) =>
    operationId !== null && touching.has(seq) ? [operationId] : [],
  );
  return { live: liveChanges(chains, cancellations), touchedBy: new Set(touchedBy) };
}

/** The pairs are sorted by canceller, so one pass is enough: a change comes before its cancellers. */
function cancellersOf(
  changes: readonly Change[],
  cancellations: readonly Cancellation[],
): Set<Seq> {
  const reached = new Set(changes.map(({ seq }) => seq));
  const cancellers = new Set<Seq>();
  for (const { by, change } of cancellations) {
    if (!reached.has(change)) continue;
    reached.add(by);
    cancellers.add(by);
  }
  return cancellers;
}

function byPath(a: Change, b: Change): number {
  return a.path === b.path ? a.seq - b.seq : a.path < b.path ? -1 : 1;
}
