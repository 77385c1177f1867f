import { importedAt } from '../model/change.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { Store } from '../store/store.ts';
import { loadChangeSet, type PathChain } from './change-set.ts';

/** The agent of sessions that `savepoint run` makes: one for each command. */
export const RUN_AGENT = 'run';

// Further back than that nobody means by "undo".
const RECENT = 50;

/**
 * The newest command run under Savepoint whose changes are still there, if nothing was rewound since:
 * an undo takes back whichever came last.
 */
export async function runToUndo(store: Store): Promise<Checkpoint | null> {
  const rewind = (await store.operations()).find(
    (operation) => operation.kind === 'rewind' && operation.inEffect,
  );
  for (const checkpoint of await store.checkpoints({ kinds: ['message'], limit: RECENT })) {
    if (rewind !== undefined && checkpoint.seq < rewind.seq) return null;
    if (checkpoint.sessionId === null) continue;
    if ((await store.session(checkpoint.sessionId))?.agent !== RUN_AGENT) continue;
    const { chains } = await loadChangeSet(
      store,
      { take: 'message', checkpoint },
      // What may be another's doing counts too: passing over it, an undo would take back something older.
      { paths: null, includeShared: true },
    );
    if (chains.some(hasOwnChange)) return checkpoint;
  }
  return null;
}

/** What was run elsewhere and imported is not what an undo here means. */
function hasOwnChange({ changes, set }: PathChain): boolean {
  return changes.some((change) => set.has(change.seq) && importedAt(change) === null);
}
