import type { CheckpointId, OperationId, Seq } from '../model/ids.ts';
import type { Operation } from '../model/operation.ts';
import type { TrackedPath } from '../model/path.ts';
import type { Store } from '../store/store.ts';

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
