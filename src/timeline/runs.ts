import { ownerMayRun } from '../capture/process-owner.ts';
import { importedAt } from '../model/change.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import type { Operation } from '../model/operation.ts';
import type { Window } from '../model/window.ts';
import type { Draft } from '../store/draft.ts';
import { findSession } from '../store/find.ts';
import type { Store } from '../store/store.ts';
import { loadChangeSet, type PathChain } from './change-set.ts';
import { endRun } from './sessions.ts';

// By "undo" nobody means a run further back than this.
const RECENT = 50;

/**
 * The newest run whose changes are still there; null if a rewind came later, because an undo takes back the
 * last of them. It never skips a run of which nothing is on record: it throws `session-busy` while that runs,
 * otherwise `run-unrecorded`, unless a later undo has reached past it. With `force` it takes what is on record
 * so far.
 */
export async function runToUndo(store: Store, force: boolean): Promise<Checkpoint | null> {
  const windows = new Map((await store.timeline.windows()).map((one) => [one.checkpointId, one]));
  const operations = await store.timeline.operations();
  const rewind = operations.find(({ kind, inEffect }) => kind === 'rewind' && inEffect);
  const undo = operations.find(({ kind, inEffect }) => kind === 'undo' && inEffect);
  let unrecorded: Checkpoint | null = null;
  for (const checkpoint of await store.timeline.checkpoints({
    kinds: ['message'],
    importedAt: null,
    limit: RECENT,
  })) {
    if (rewind !== undefined && checkpoint.seq < rewind.seq) break;
    if (!(await isRun(store, checkpoint.sessionId))) continue;
    const window = unrecorded === null ? windows.get(checkpoint.id) : undefined;
    if (window !== undefined && window.kind !== 'interrupted' && !force) throw notScanned(window);
    const { chains } = await loadChangeSet(
      store,
      { take: 'message', checkpoint },
      // Shared changes count too: without them, an undo would skip the run and take back an older one.
      { paths: null, includeShared: true },
    );
    if (chains.some(hasOwnChange)) {
      if (unrecorded !== null) throw nothingFound(unrecorded, windows, checkpoint);
      return checkpoint;
    }
    const isPassed = undo !== undefined && undo.seq > checkpoint.seq;
    if (chains.length === 0 && !isPassed) unrecorded ??= checkpoint;
  }
  if (unrecorded !== null) throw nothingFound(unrecorded, windows, rewind ?? null);
  return null;
}

/** Ends a window that nobody closed, after a scan. If it was a run, a record of it stays for `runToUndo`. */
export async function endWindow(draft: Draft, store: Store, window: Window): Promise<void> {
  const isCommand = window.kind === 'command' && window.toolCallId === null;
  if (isCommand && (await isRun(store, window.sessionId))) {
    const closed = window.closed ?? draft.nextSeq();
    draft.windows.push({ ...window, kind: 'interrupted', closed });
    await endRun(draft, store, window.sessionId);
  } else {
    draft.removedWindows.push(window.id);
  }
}

/** Whether a checkpoint is that of a run, which an undo takes back as a whole. */
export async function isRun(store: Store, sessionId: string | null): Promise<boolean> {
  return sessionId !== null && (await findSession(store, sessionId))?.run != null;
}

/** An undo does not mean a run that was imported from another machine. */
function hasOwnChange({ changes, set }: PathChain): boolean {
  return changes.some((change) => set.has(change.seq) && importedAt(change) === null);
}

/** The error for a run whose changes no scan has found yet. */
function notScanned({ owner, closed, description }: Window): SavepointError {
  if (closed === null && (owner === null || ownerMayRun(owner))) {
    return new SavepointError('session-busy', `the last run is still running: ${description}`);
  }
  const message = `what the last run changed is not on record yet: ${description}`;
  return new SavepointError('run-unrecorded', message, { hint: 'scan the worktree first' });
}

/** `before`: the run or rewind that the undo would take back if it skipped this run. */
function nothingFound(
  run: Checkpoint,
  windows: ReadonlyMap<string, Window>,
  before: Checkpoint | Operation | null,
): SavepointError {
  const why = windows.has(run.id)
    ? 'the last run was interrupted, and no change of it was found'
    : 'the last run changed no file that is recorded';
  return new SavepointError('run-unrecorded', `${why}: ${run.description}`, {
    hint: 'name what to undo: an operation, or the checkpoint of the run before',
    details: { run: run.id, before },
  });
}
