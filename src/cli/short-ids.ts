import { type CheckpointId, isSavepointError, type Savepoint } from '../index.ts';

const LEAST = 4;

type Resolver = Pick<Savepoint, 'resolve'>;

/** How many first characters of each id name it alone, among all checkpoints of the project. */
export async function uniqueLengths(
  savepoint: Resolver,
  ids: readonly CheckpointId[],
): Promise<Map<CheckpointId, number>> {
  const lengths = new Map<CheckpointId, number>();
  for (const id of ids) lengths.set(id, await uniqueLength(savepoint, id));
  return lengths;
}

async function uniqueLength(savepoint: Resolver, id: CheckpointId): Promise<number> {
  for (let length = LEAST; length < id.length; length += 1) {
    if (await namesIt(savepoint, id.slice(0, length), id)) return length;
  }
  return id.length;
}

/** Asked of the store rather than of a list: a shortened id must work whatever was listed. */
async function namesIt(savepoint: Resolver, short: string, id: CheckpointId): Promise<boolean> {
  try {
    return (await savepoint.resolve(short)).id === id;
  } catch (error) {
    if (isSavepointError(error, 'checkpoint-ambiguous')) return false;
    throw error;
  }
}
