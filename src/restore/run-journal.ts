import type { CaptureSite } from '../capture/capture.ts';
import { pinFolderOrNull } from '../capture/pinned-folder.ts';
import { SavepointError } from '../model/errors.ts';
import type { Journal, JournalStep } from '../model/journal.ts';
import { isOutside, parentOf, type TrackedPath } from '../model/path.ts';
import type { PlanNote } from '../model/plan.ts';
import type { State } from '../model/state.ts';
import {
  backward,
  dropCompanions,
  finishFolder,
  forward,
  loosenFolder,
  needsStaging,
  stageStep,
  stashIsIntact,
  syncMode,
} from './swap.ts';

/** Writes every new file beside its place, synced. Nothing of the user's is touched. */
export async function stageAll(site: CaptureSite, steps: readonly JournalStep[]): Promise<void> {
  for (const step of steps) {
    if (needsStaging(step)) stageStep(site.root, step, await contentOf(site, step.to));
  }
}

/** Carries out all steps. Throws `plan-stale` at the first path that somebody else has changed. */
export async function swapAll(site: CaptureSite, steps: readonly JournalStep[]): Promise<void> {
  for (const step of steps) loosenFolder(site.root, step);
  for (const step of steps) {
    const outcome = forward(site.root, step, await linkOf(site, step));
    if (outcome === 'foreign') throw changedMeanwhile(step.path);
  }
  for (const step of steps.toReversed()) finishFolder(site.root, step);
  for (const step of steps) {
    if (!stashIsIntact(site.root, step)) throw changedMeanwhile(step.path);
  }
  syncSteps(site, steps);
}

/** Takes back what `swapAll` had done, newest first. */
export function swapBack(site: CaptureSite, steps: readonly JournalStep[]): void {
  for (const step of steps.toReversed()) backward(site.root, step);
  for (const step of steps) dropCompanions(site.root, step);
  syncSteps(site, steps);
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
  const folders = new Map<string, { folder: TrackedPath | null; outside: boolean }>();
  for (const step of steps) {
    const outside = isOutside(step.path);
    for (const folder of foldersOf(step)) folders.set(`${outside}:${folder}`, { folder, outside });
  }
  for (const { folder, outside } of folders.values()) {
    const pinned = pinFolderOrNull(site.root, folder, outside);
    try {
      pinned?.sync();
    } finally {
      pinned?.close();
    }
  }
}

/** Before a journal is cleared: nobody would look for companions that a power cut brings back. */
export function syncStages(site: CaptureSite, journal: Journal): void {
  syncFolders(site, journal.steps, (step) => [step.stageFolder]);
}

/** Returns a note when a stash had to be kept, because somebody went on writing to the old file. */
export function dropAllCompanions(site: CaptureSite, journal: Journal): PlanNote[] {
  const kept = journal.steps.filter((step) => !dropCompanions(site.root, step));
  if (kept.length === 0) return [];
  const names = kept.map((step) => step.stashName).join(', ');
  const message = `a process still writes to files that were replaced; their old content is in ${names}`;
  return [{ code: 'written-meanwhile', message, paths: kept.map((step) => step.path) }];
}

/** The target of the link that a step brings, or null when it brings none. */
export async function linkOf(site: CaptureSite, step: JournalStep): Promise<Uint8Array | null> {
  const isLink = step.to.kind === 'captured' && step.to.type === 'symlink';
  return isLink ? contentOf(site, step.to) : null;
}

/** Bytes of a state, verified by the store. */
export function contentOf(site: CaptureSite, state: State): Promise<Uint8Array> {
  if (state.kind !== 'captured' || state.blob === null) {
    throw new SavepointError('restore-failed', 'a restore needs bytes that were never recorded');
  }
  return site.store.readBlob(state.blob);
}

export function changedMeanwhile(path: string): SavepointError {
  return new SavepointError('plan-stale', 'a file changed since the plan was made', {
    path,
    hint: 'nothing was changed; run the command again to plan anew',
  });
}
