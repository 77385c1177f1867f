import type { CaptureSite } from '../capture/capture.ts';
import type { StateAndStat } from '../fs/observe.ts';
import { pinFolderOrNull } from '../fs/pinned-folder.ts';
import { type SyncTarget, syncTogether } from '../fs/sync-together.ts';
import { isSavepointError, SavepointError } from '../model/errors.ts';
import type { Journal, JournalStep } from '../model/journal.ts';
import { isOutside, parentOf, type TrackedPath } from '../model/path.ts';
import type { Progress } from '../model/progress.ts';
import { isDirectory } from '../model/state.ts';
import { currentSeq } from '../store/find.ts';
import { stashIsIntact, stepsToTidy } from './companions.ts';
import { finishFolder, loosenAgain, loosenFolder, tightenAgain, tightenFolder } from './modes.ts';
import { backward, forward } from './step.ts';
import { isTheirs, namingPath, withParent } from './step-place.ts';

/** Opens the folders that have to let us in, outermost first. */
export function loosenAll(site: CaptureSite, steps: readonly JournalStep[]): void {
  for (const step of outermostFirst(steps)) loosenFolder(site.root, step);
}

/**
 * Carries out all steps. Throws `plan-stale` at the first path that somebody else has changed. What was
 * `seen` at each saves reading it before it is moved: afterwards it is read in any case.
 */
export async function swapAll(
  site: CaptureSite,
  steps: readonly JournalStep[],
  seen: ReadonlyMap<TrackedPath, StateAndStat>,
): Promise<void> {
  for (const [done, step] of steps.entries()) {
    await tellProgress(site, { step: 'swap', done, total: steps.length });
    const outcome = forward(site.root, step, seen.get(step.path) ?? null);
    if (outcome === 'foreign') throw changedMeanwhile(step.path);
  }
  for (const step of steps.toReversed()) finishFolder(site.root, step);
  for (const step of steps) {
    if (!stashIsIntact(site.root, step)) throw changedMeanwhile(step.path);
  }
  await syncSteps(site, steps);
}

/** Takes back what was done, newest first. Returns the paths that are left as somebody made them. */
export async function swapBack(
  site: CaptureSite,
  steps: readonly JournalStep[],
): Promise<TrackedPath[]> {
  const { root } = site;
  for (const step of outermostFirst(steps)) unlessTheirs(() => loosenAgain(root, step));
  const left = steps
    .toReversed()
    .filter((step) => !unlessTheirs(() => backward(root, step) === 'done'));
  for (const step of outermostFirst(steps).toReversed()) {
    tightenFolder(root, step);
    if (left.includes(step)) tightenAgain(root, step);
  }
  await syncSteps(site, steps);
  return left.map((step) => step.path);
}

/** Undefined where a folder on the way is somebody else's by now. */
function unlessTheirs<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (!isTheirs(error)) throw error;
    return undefined;
  }
}

export function outermostFirst(steps: readonly JournalStep[]): JournalStep[] {
  return steps.toSorted((a, b) => a.path.length - b.path.length);
}

/** Makes every new mode and every new name durable. */
export function syncSteps(site: CaptureSite, steps: readonly JournalStep[]): Promise<void> {
  const modes = steps.filter(changesMode).map((step) => ({
    path: step.path,
    open: () => withParent(site.root, step, (parent, name) => parent.openToSync(name)),
  }));
  const folders = foldersToSync(site, steps, (step) => [parentOf(step.path), step.stageFolder]);
  return syncAll(site, [...modes, ...folders]);
}

/** A mode becomes durable by syncing the entry itself, not its folder. Staged files were synced. */
function changesMode({ how, to, from }: JournalStep): boolean {
  return how === 'chmod' || isDirectory(to) || isDirectory(from);
}

/** Before a journal is cleared: nobody would look for companions that a power cut brings back. */
export function syncStages(site: CaptureSite, journal: Journal): Promise<void> {
  return syncAll(
    site,
    foldersToSync(
      site,
      stepsToTidy(journal).map(({ step }) => step),
      (step) => [step.stageFolder],
    ),
  );
}

/** Each folder once. One that is gone by now, or gave way to a link, needs no sync. */
function foldersToSync(
  { root }: CaptureSite,
  steps: readonly JournalStep[],
  foldersOf: (step: JournalStep) => readonly (TrackedPath | null)[],
): SyncTarget[] {
  const targets = new Map<string, SyncTarget>();
  for (const step of steps) {
    const outside = isOutside(step.path);
    for (const folder of foldersOf(step)) {
      const path = folder ?? step.path;
      const open = (): number | null =>
        namingPath(path, () => {
          const pinned = pinFolderOrNull(root, folder, outside);
          try {
            return pinned?.openSelf() ?? null;
          } finally {
            pinned?.close();
          }
        });
      targets.set(`${outside}:${folder}`, { path, open });
    }
  }
  return [...targets.values()];
}

/*
 * The two places where a restore waits, and others of this process have their turn. The project lock keeps
 * our own writers away; everybody else may write as if they were another process, so what a restore relies
 * on is looked at after the wait, not before. Whoever closes the store meanwhile takes the lock from us.
 */

/** Makes targets durable, many at once. */
export async function syncAll(
  { store }: Pick<CaptureSite, 'store'>,
  targets: Iterable<SyncTarget> | AsyncIterable<SyncTarget>,
): Promise<void> {
  try {
    await syncTogether(targets);
  } finally {
    await refuseClosed(store);
  }
}

/** Tells how far a restore has come. Whoever is told may close the store, or fail. */
export async function tellProgress(
  { onProgress, store }: Pick<CaptureSite, 'onProgress' | 'store'>,
  progress: Progress,
): Promise<void> {
  if (onProgress === undefined) return;
  try {
    await onProgress(progress);
  } finally {
    await refuseClosed(store);
  }
}

/** Without the lock nothing more may be touched: that is an error, whatever else went wrong. */
async function refuseClosed(store: CaptureSite['store']): Promise<void> {
  try {
    await store.state();
  } catch (error) {
    if (isSavepointError(error, 'store-closed')) throw error;
  }
}

/** The rest of a journal after its steps were taken back: companions to remove, nothing to record. */
export function takenBack(journal: Journal): Journal {
  return { ...journal, phase: 'done', operations: [], changes: [], cancellations: [] };
}

/** The journal once another program's part is over; the companions of guards that were left have to go. */
export function withoutGuards(
  { alongside = [], untidy = [], ...rest }: Journal,
  left: readonly TrackedPath[],
): Journal {
  const guards = alongside.filter(({ path }) => left.includes(path));
  const still = [...untidy, ...guards.map((step) => ({ step, isOnRecord: false }))];
  return still.length === 0 ? rest : { ...rest, untidy: still };
}

/**
 * Puts on record that a restore was taken back, and returns its journal, which is done. The safety checkpoint
 * goes with it, unless a path was left as it is: what was there before may be nowhere else.
 */
export async function recordTakenBack(
  { store }: CaptureSite,
  journal: Journal,
  left: readonly TrackedPath[],
): Promise<Journal> {
  const done = takenBack(journal);
  const removedCheckpoints = left.length === 0 ? [journal.safetyCheckpointId] : [];
  await store.timeline.commit({
    base: await currentSeq(store),
    removedCheckpoints,
    journal: done,
  });
  return done;
}

export function changedMeanwhile(path: string): SavepointError {
  return new SavepointError('plan-stale', 'a file changed since the plan was made', {
    path,
    hint: 'nothing was changed; run the command again to plan anew',
  });
}
