import { type Cancellation, liveChanges } from '../model/change.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { CheckpointId, OperationId, Seq } from '../model/ids.ts';
import type { Operation } from '../model/operation.ts';
import type { TrackedPath } from '../model/path.ts';
import type { Store } from '../store/store.ts';

/** Whether operations that are in effect took back what changed under a checkpoint. */
export type TakenBack = (typeof TAKEN_BACK)[number];

export const TAKEN_BACK = ['no', 'partly', 'yes'] as const;

/** What changed under a checkpoint, and what became of it. */
export interface Work {
  readonly files: number;
  readonly folders: number;
  readonly takenBack: TakenBack;
  /** Where in the timeline the last part of it was taken back; null where nothing was. */
  readonly takenBackAt: Seq | null;
}

/** Checkpoints under which nothing changed are left out. Reads contents of no file. */
export async function workUnder(
  store: Store,
  checkpoints: readonly Checkpoint[],
): Promise<Map<CheckpointId, Work>> {
  const counts = await store.timeline.changedPaths(checkpoints.map(({ id }) => id));
  const cancelled = [...counts.values()].flatMap((count) => count.cancelled);
  const fates = await takenBackAt(store, cancelled);
  return new Map(
    [...counts].map(([id, { files, folders, changes, cancelled }]) => {
      const places = cancelled.flatMap((seq) => fates.get(seq) ?? []);
      const whole = places.filter(({ inPart }) => !inPart);
      const all = whole.length === changes ? 'yes' : 'partly';
      const takenBack = places.length === 0 ? 'no' : all;
      const at = places.length === 0 ? null : places.reduce((at, { by }) => Math.max(at, by), 0);
      return [id, { files, folders, takenBack, takenBackAt: at }];
    }),
  );
}

/** By what each of these changes was taken back, or hunks of it. Those of which all is there are left out. */
async function takenBackAt(
  store: Store,
  changes: readonly Seq[],
): Promise<Map<Seq, Pick<Cancellation, 'by' | 'inPart'>>> {
  const pairs: Cancellation[] = [];
  const seqs = new Set<Seq>();
  // Who cancels may be cancelled in turn: a rewind by an undo, the undo by a redo, and so on.
  for (let next = changes; next.length > 0; ) {
    for (const seq of next) seqs.add(seq);
    const found = await store.timeline.cancellations(next);
    for (const pair of found) pairs.push(pair);
    next = [...new Set(found.map(({ by }) => by))].filter((by) => !seqs.has(by));
  }
  const live = liveChanges(
    [...seqs].map((seq) => ({ seq })),
    pairs,
  );
  const inEffect = pairs.filter(({ by }) => live.has(by));
  const [inPart, whole] = [
    inEffect.filter((pair) => pair.inPart),
    inEffect.filter((pair) => !pair.inPart),
  ];
  return new Map([...inPart, ...whole].map((pair) => [pair.change, pair]));
}

/**
 * The checkpoints whose work each of these operations took back, wholly or in part; for one that took back another
 * operation, those whose work it brought back or took back again. Oldest first.
 */
export async function tookBack(
  store: Store,
  operations: readonly Operation[],
): Promise<Map<OperationId, readonly CheckpointId[]>> {
  const own = new Map<Seq, OperationId>();
  const paths = new Set<TrackedPath>();
  for (const { id: operationId } of operations) {
    for (const { seq, path } of await store.timeline.changes({ operationId })) {
      own.set(seq, operationId);
      paths.add(path);
    }
  }
  const chains = paths.size === 0 ? [] : await store.timeline.changes({ paths: [...paths] });
  const authors = new Map(chains.map(({ seq, checkpointId }) => [seq, checkpointId]));
  const found = new Map<OperationId, Set<CheckpointId>>();
  for (const { by, change } of await store.timeline.cancellations([...authors.keys()])) {
    const operationId = own.get(by);
    const checkpointId = authors.get(change);
    if (operationId === undefined || !checkpointId) continue;
    found.set(operationId, (found.get(operationId) ?? new Set()).add(checkpointId));
  }
  const byId = new Map(operations.map((one) => [one.id, one]));
  const direct = ({ id, reverts }: Operation): readonly CheckpointId[] => {
    const reverted = reverts === null ? undefined : byId.get(reverts);
    return reverted === undefined ? [...(found.get(id) ?? [])] : direct(reverted);
  };
  return new Map(operations.map((one) => [one.id, direct(one)]));
}
