import type { CheckpointKind } from '../model/checkpoint.ts';
import type { CheckpointId } from '../model/ids.ts';
import type { Store } from '../store/store.ts';
import { loadChangeSet } from './change-set.ts';

/**
 * Where the files stand: at the newest checkpoint, or at the one that was rewound to since. A rewind that
 * took back only a part (one message, some paths, all but conflicts) leads nowhere else.
 */
export async function currentPlace(store: Store): Promise<CheckpointId | null> {
  const kinds: CheckpointKind[] = ['message', 'step', 'manual'];
  const [newest] = await store.checkpoints({ kinds, limit: 1 });
  if (newest === undefined) return null;
  const rewind = (await store.operations()).find(({ kind, inEffect }) => {
    return kind === 'rewind' && inEffect;
  });
  if (rewind === undefined || rewind.seq < newest.seq) return newest.id;
  const target = rewind.checkpointId && (await store.checkpoint(rewind.checkpointId));
  if (!target) return newest.id;
  const everything = { paths: null, includeShared: true };
  const left = await loadChangeSet(store, { take: 'since', checkpoint: target }, everything);
  return left.chains.every(({ set }) => set.size === 0) ? target.id : newest.id;
}
