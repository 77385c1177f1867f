import { setImmediate } from 'node:timers/promises';
import type { CheckpointId, ListedCheckpoint, Savepoint } from '../../index.ts';

const AT_ONCE = 200;

/** The paths that changed under each checkpoint. Keys are heard meanwhile; null once it is stopped. */
export async function pathsOf(
  savepoint: Savepoint,
  checkpoints: readonly ListedCheckpoint[],
  isStopped: () => boolean,
): Promise<ReadonlyMap<CheckpointId, readonly string[]> | null> {
  const paths = new Map<CheckpointId, string[]>();
  for (let from = 0; from < checkpoints.length; from += AT_ONCE) {
    await setImmediate();
    if (isStopped()) return null;
    const checkpointIds = checkpoints.slice(from, from + AT_ONCE).map(({ id }) => id);
    for (const { checkpointId, path } of await savepoint.changes({ checkpointIds })) {
      if (checkpointId === null) continue;
      const known = paths.get(checkpointId);
      if (known === undefined) paths.set(checkpointId, [path]);
      else known.push(path);
    }
  }
  return paths;
}
