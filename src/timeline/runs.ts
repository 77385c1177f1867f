import { ownerMayRun } from '../capture/process-owner.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import type { Seq } from '../model/ids.ts';
import type { Operation } from '../model/operation.ts';
import type { Window } from '../model/window.ts';
import type { Draft } from '../store/draft.ts';
import { findCheckpoint, findSession } from '../store/find.ts';
import type { Store } from '../store/store.ts';
import { loadChangeSet } from './change-set.ts';
import { endRun } from './sessions.ts';

// By "undo" nobody means a run further back than this.
const RECENT = 50;

/**
 * The newest run whose changes are still there; null if a rewind came later, because an undo takes back the
 * last of them. It never skips a run of which nothing is on record: it throws `session-busy` while that runs,
 * otherwise `run-unrecorded`, unless an undo has reached past it before. With `force` it takes what is on record
 * so far.
 */
export async function runToUndo(
  store: Store,
  { force, now }: { readonly force: boolean; readonly now: number },
): Promise<Checkpoint | null> {
  const windows = new Map((await store.timeline.windows()).map((one) => [one.checkpointId, one]));
  const operations = await store.timeline.operations();
  const rewind = operations.find(isRewindInEffect);
  const reaches = await reachesOf(store, operations);
  for await (const checkpoint of recentRuns(store)) {
    if (rewind !== undefined && checkpoint.seq < rewind.seq) break;
    const window = windows.get(checkpoint.id);
    if (window !== undefined && window.kind !== 'interrupted' && !force)
      throw notScanned(window, now);
    const record = await recordOf(store, checkpoint);
    if (record === 'live') return checkpoint;
    const isPassed = reaches.some(({ from, to }) => to < checkpoint.seq && checkpoint.seq < from);
    if (record === 'none' && !isPassed) throw await nothingRecorded(store, checkpoint);
  }
  return null;
}

/** What an undo takes back once everything from this run on is settled or passed over. */
export async function undoableBefore(
  store: Store,
  { seq }: Pick<Checkpoint, 'seq'>,
): Promise<Checkpoint | Operation | null> {
  const operations = await store.timeline.operations();
  const rewind = operations.find((one) => one.seq < seq && isRewindInEffect(one)) ?? null;
  for await (const checkpoint of recentRuns(store, seq)) {
    if (rewind !== null && checkpoint.seq < rewind.seq) break;
    if ((await recordOf(store, checkpoint)) === 'live') return checkpoint;
  }
  return rewind;
}

function isRewindInEffect({ kind, inEffect }: Operation): boolean {
  return kind === 'rewind' && inEffect;
}

/** Newest first, without runs of other machines. */
async function* recentRuns(store: Store, before?: Seq): AsyncGenerator<Checkpoint> {
  const older = before === undefined ? {} : { before };
  const query = { kinds: ['message'], importedAt: null, limit: RECENT, ...older } as const;
  for (const checkpoint of await store.timeline.checkpoints(query)) {
    if (await isRun(store, checkpoint.sessionId)) yield checkpoint;
  }
}

/** From where to where in the timeline each undo in effect has reached: what lies between was passed over. */
async function reachesOf(
  store: Store,
  operations: readonly Operation[],
): Promise<{ readonly from: Seq; readonly to: Seq }[]> {
  const reaches = [];
  for (const { kind, inEffect, seq: from, reverts, checkpointId } of operations) {
    if (kind !== 'undo' || !inEffect) continue;
    const target =
      reverts === null
        ? checkpointId && (await findCheckpoint(store, checkpointId))
        : operations.find(({ id }) => id === reverts);
    if (target) reaches.push({ from, to: target.seq });
  }
  return reaches;
}

/** Whether a run has changes on record that are still there, only such that were taken back, or none at all. */
async function recordOf(
  store: Store,
  checkpoint: Checkpoint,
): Promise<'live' | 'taken-back' | 'none'> {
  // Shared changes count too: without them, an undo would skip the run and take back an older one.
  const everything = { paths: null, includeShared: true };
  const { chains } = await loadChangeSet(store, { take: 'message', checkpoint }, everything);
  if (chains.length === 0) return 'none';
  return chains.some(({ set }) => set.size > 0) ? 'live' : 'taken-back';
}

/** A run that an id names, to be taken back. */
export async function requireRecorded(store: Store, run: Checkpoint): Promise<Checkpoint> {
  if ((await recordOf(store, run)) === 'none') throw await nothingRecorded(store, run);
  return run;
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

/** The error for a run whose changes no scan has found yet. */
function notScanned(window: Window, now: number): SavepointError {
  const { owner, closed, description, createdAt: since } = window;
  if (closed === null && (owner === null || ownerMayRun(owner, { since, now }))) {
    return new SavepointError('session-busy', `the last run is still running: ${description}`);
  }
  const message = `what the last run changed is not on record yet: ${description}`;
  return new SavepointError('run-unrecorded', message, { hint: 'scan the worktree first' });
}

/** Names what came before, which the undo would take back if it skipped this run. */
async function nothingRecorded(store: Store, run: Checkpoint): Promise<SavepointError> {
  const isInterrupted = (await store.timeline.windows()).some(
    ({ checkpointId }) => checkpointId === run.id,
  );
  const why = isInterrupted
    ? 'the run was interrupted, and no change of it was found'
    : 'the run changed no file that is recorded';
  return new SavepointError('run-unrecorded', `${why}: ${run.description}`, {
    hint: 'name what to undo: an operation, or the checkpoint of the run before',
    details: { run: run.id, before: await undoableBefore(store, run) },
  });
}
