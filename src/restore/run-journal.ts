import type { CaptureSite } from '../capture/capture.ts';
import type { Sight } from '../fs/observe.ts';
import { pinFolderOrNull } from '../fs/pinned-folder.ts';
import type { SyncTarget } from '../fs/sync-together.ts';
import { SavepointError } from '../model/errors.ts';
import type { CheckpointId } from '../model/ids.ts';
import type { Journal, JournalStep } from '../model/journal.ts';
import { isOutside, parentOf, type TrackedPath } from '../model/path.ts';
import { stashIsIntact, stepsToTidy } from './companions.ts';
import {
  finishFolder,
  loosenAgain,
  loosenFolder,
  needsModeSync,
  openModeToSync,
  tightenAgain,
  tightenFolder,
} from './folder-modes.ts';
import { about, isTheirs } from './step-errors.ts';
import { backward, forward } from './swap.ts';
import { syncAll, tellProgress } from './waits.ts';

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
  seen: ReadonlyMap<TrackedPath, Sight>,
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
  const modes = steps.filter(needsModeSync).map((step) => ({
    path: step.path,
    open: () => openModeToSync(site.root, step),
  }));
  const folders = foldersToSync(site, steps, (step) => [parentOf(step.path), step.stageFolder]);
  return syncAll(site, [...modes, ...folders]);
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
      const open = (): number | null => about(path, () => openFolder(root, folder, outside));
      targets.set(`${outside}:${folder}`, { path, open });
    }
  }
  return [...targets.values()];
}

function openFolder(root: string, folder: TrackedPath | null, outside: boolean): number | null {
  const pinned = pinFolderOrNull(root, folder, outside);
  try {
    return pinned?.openSelf() ?? null;
  } finally {
    pinned?.close();
  }
}

/** What is left of a journal whose steps were taken back: companions to drop, nothing to record. */
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
 * The checkpoint that goes with a restore that was taken back. Where a path was left as it is, what was there
 * before may be nowhere else.
 */
export function safetyToRemove(
  { safetyCheckpointId }: Journal,
  left: readonly TrackedPath[],
): CheckpointId[] {
  return left.length === 0 ? [safetyCheckpointId] : [];
}

export function changedMeanwhile(path: string): SavepointError {
  return new SavepointError('plan-stale', 'a file changed since the plan was made', {
    path,
    hint: 'nothing was changed; run the command again to plan anew',
  });
}
