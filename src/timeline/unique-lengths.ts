import type { CheckpointId } from '../model/ids.ts';
import type { Store } from '../store/store.ts';

/** Fewer characters of an id are never shown as enough: the next checkpoint might begin with them. */
export const SHORTEST_ID = 4;

/** How many first characters of each id name it alone, whatever else is on record: ids and labels. */
export async function uniqueLengths(
  store: Store,
  ids: readonly CheckpointId[],
): Promise<Map<CheckpointId, number>> {
  const labels = new Set((await store.checkpoints({ labelled: true })).map(({ label }) => label));
  const beside = await store.idsBeside(ids);
  return new Map(ids.map((id) => [id, uniqueLength(id, beside.get(id) ?? [], labels)]));
}

function uniqueLength(
  id: CheckpointId,
  others: readonly string[],
  labels: ReadonlySet<string | null>,
): number {
  for (let length = SHORTEST_ID; length < id.length; length += 1) {
    const short = id.slice(0, length);
    if (!labels.has(short) && !others.some((other) => other.startsWith(short))) return length;
  }
  return id.length;
}
