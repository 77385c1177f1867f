import { ownerMayRun } from '../capture/process-owner.ts';
import { importedAt } from '../model/change.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import type { Operation } from '../model/operation.ts';
import { changeOfCall, idOfInterrupted, isInterrupted, type Window } from '../model/window.ts';
import type { Draft } from '../store/draft.ts';
import type { Store } from '../store/store.ts';
import { loadChangeSet, type PathChain } from './change-set.ts';

/** The agent of sessions that `savepoint run` makes: one for each command. */
export const RUN_AGENT = 'run';

// Further back than that nobody means by "undo".
const RECENT = 50;

/**
 * The newest command run under Savepoint whose changes are still there, if nothing was rewound since: an undo
 * takes back whichever came last. It never passes over a run of which nothing is on record: throws
 * `session-busy` while that runs, otherwise `run-unrecorded`. `force` takes what is on record so far.
 */
export async function runToUndo(store: Store, force: boolean): Promise<Checkpoint | null> {
  const windows = new Map((await store.windows()).map((one) => [one.checkpointId, one]));
  const rewind = (await store.operations()).find(
    (operation) => operation.kind === 'rewind' && operation.inEffect,
  );
  let unrecorded: Checkpoint | null = null;
  for (const checkpoint of await store.checkpoints({ kinds: ['message'], limit: RECENT })) {
    if (rewind !== undefined && checkpoint.seq < rewind.seq) break;
    if (!(await isRun(store, checkpoint.sessionId))) continue;
    const window = unrecorded === null ? windows.get(checkpoint.id) : undefined;
    if (window !== undefined && !isInterrupted(window) && !force) throw notScanned(window);
    const { chains } = await loadChangeSet(
      store,
      { take: 'message', checkpoint },
      // What may be another's doing counts too: passing over it, an undo would take back something older.
      { paths: null, includeShared: true },
    );
    if (chains.some(hasOwnChange)) {
      if (unrecorded !== null) throw nothingFound(unrecorded, checkpoint);
      return checkpoint;
    }
    if (window !== undefined && chains.length === 0) unrecorded = checkpoint;
  }
  if (unrecorded !== null) throw nothingFound(unrecorded, rewind ?? null);
  return null;
}

/** Keeps the runs among windows that a scan ends in their place: nobody has told of their end. */
export async function keepInterrupted(
  draft: Draft,
  store: Store,
  ended: readonly Window[],
): Promise<void> {
  for (const window of ended) {
    if (changeOfCall(window) !== null || !(await isRun(store, window.sessionId))) continue;
    const [opened, closed] = [draft.nextSeq(), draft.nextSeq()];
    draft.windows.push({ ...window, id: idOfInterrupted(window), opened, closed });
  }
}

async function isRun(store: Store, sessionId: string | null): Promise<boolean> {
  return sessionId !== null && (await store.session(sessionId))?.agent === RUN_AGENT;
}

/** What was run elsewhere and imported is not what an undo here means. */
function hasOwnChange({ changes, set }: PathChain): boolean {
  return changes.some((change) => set.has(change.seq) && importedAt(change) === null);
}

/** What the program changed is still to be found by a scan. */
function notScanned({ owner, closed, description }: Window): SavepointError {
  if (closed === null && (owner === null || ownerMayRun(owner))) {
    return new SavepointError('session-busy', `the last run is still running: ${description}`);
  }
  const message = `what the last run changed is not on record yet: ${description}`;
  return new SavepointError('run-unrecorded', message, { hint: 'scan the worktree first' });
}

/** `before`: what the undo would have come to next. */
function nothingFound(run: Checkpoint, before: Checkpoint | Operation | null): SavepointError {
  const message = `the last run was interrupted, and no change of it was found: ${run.description}`;
  return new SavepointError('run-unrecorded', message, {
    hint: 'name the operation to undo, or rewind to the checkpoint of the run before',
    details: { run: run.id, before },
  });
}
