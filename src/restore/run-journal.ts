import type { CaptureSite } from '../capture/capture.ts';
import { pinFolderOrNull } from '../capture/pinned-folder.ts';
import { SavepointError } from '../model/errors.ts';
import type { Journal, JournalStep } from '../model/journal.ts';
import { isOutside, parentOf, type TrackedPath } from '../model/path.ts';
import { stashIsIntact } from './companions.ts';
import {
  finishFolder,
  loosenAgain,
  loosenFolder,
  syncMode,
  tightenAgain,
  tightenFolder,
} from './folder-modes.ts';
import { about, isTheirs } from './step-errors.ts';
import { backward, forward } from './swap.ts';

/** Opens the folders that have to let us in, outermost first. */
export function loosenAll(site: CaptureSite, steps: readonly JournalStep[]): void {
  for (const step of outermostFirst(steps)) loosenFolder(site.root, step);
}

/** Carries out all steps. Throws `plan-stale` at the first path that somebody else has changed. */
export function swapAll(site: CaptureSite, steps: readonly JournalStep[]): void {
  for (const step of steps) {
    if (forward(site.root, step) === 'foreign') throw changedMeanwhile(step.path);
  }
  for (const step of steps.toReversed()) finishFolder(site.root, step);
  for (const step of steps) {
    if (!stashIsIntact(site.root, step)) throw changedMeanwhile(step.path);
  }
  syncSteps(site, steps);
}

/** Takes back what was done, newest first. Returns the paths that are left as somebody made them. */
export function swapBack(site: CaptureSite, steps: readonly JournalStep[]): TrackedPath[] {
  const { root } = site;
  for (const step of outermostFirst(steps)) unlessTheirs(() => loosenAgain(root, step));
  const left = steps
    .toReversed()
    .filter((step) => !unlessTheirs(() => backward(root, step) === 'done'));
  for (const step of outermostFirst(steps).toReversed()) {
    tightenFolder(root, step);
    if (left.includes(step)) tightenAgain(root, step);
  }
  syncSteps(site, steps);
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
export function syncSteps(site: CaptureSite, steps: readonly JournalStep[]): void {
  for (const step of steps) syncMode(site.root, step);
  syncFolders(site, steps, (step) => [parentOf(step.path), step.stageFolder]);
}

/** A folder that is gone by now, or gave way to a link, needs no sync. */
function syncFolders(
  site: CaptureSite,
  steps: readonly JournalStep[],
  foldersOf: (step: JournalStep) => readonly (TrackedPath | null)[],
): void {
  const folders = new Map<string, { folder: TrackedPath | null; step: JournalStep }>();
  for (const step of steps) {
    const outside = isOutside(step.path);
    for (const folder of foldersOf(step)) folders.set(`${outside}:${folder}`, { folder, step });
  }
  for (const { folder, step } of folders.values()) {
    about(folder ?? step.path, () => syncFolder(site.root, folder, isOutside(step.path)));
  }
}

function syncFolder(root: string, folder: TrackedPath | null, outside: boolean): void {
  const pinned = pinFolderOrNull(root, folder, outside);
  try {
    pinned?.sync();
  } finally {
    pinned?.close();
  }
}

/** Before a journal is cleared: nobody would look for companions that a power cut brings back. */
export function syncStages(site: CaptureSite, journal: Journal): void {
  syncFolders(site, journal.steps, (step) => [step.stageFolder]);
}

/** What is left of a journal whose steps were taken back: companions to drop, nothing to record. */
export function takenBack(journal: Journal): Journal {
  return { ...journal, phase: 'done', operations: [], changes: [], cancellations: [] };
}

export function changedMeanwhile(path: string): SavepointError {
  return new SavepointError('plan-stale', 'a file changed since the plan was made', {
    path,
    hint: 'nothing was changed; run the command again to plan anew',
  });
}
