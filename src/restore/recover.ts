import type { CaptureSite } from '../capture/capture.ts';
import { pinFolderOrNull } from '../capture/pinned-folder.ts';
import { isSavepointError } from '../model/errors.ts';
import type { Journal, JournalStep } from '../model/journal.ts';
import { isOutside, type TrackedPath } from '../model/path.ts';
import type { PlanNote } from '../model/plan.ts';
import { sameState } from '../model/state.ts';
import { recordOf } from './apply.ts';
import { contentOf, dropAllCompanions, linkOf, syncStages, syncSteps } from './run-journal.ts';
import { currentState, withPlace } from './step-place.ts';
import {
  backward,
  finishFolder,
  forward,
  loosenFolder,
  needsStaging,
  stageStep,
  stashIsIntact,
} from './swap.ts';
import { removeIfThere } from './write-file.ts';

/**
 * Finishes what an interrupted restore left, or takes it back where there is no room to finish it. A
 * path that somebody edited since is left to them. Returns what a person should know, or null when
 * there was nothing to do. The caller holds the project lock. Safe to be interrupted itself.
 */
export async function recover(site: CaptureSite): Promise<PlanNote | null> {
  const journal = await site.store.journal();
  if (journal === null) return null;
  if (journal.phase === 'done') {
    // Every restore leaves this much to whoever comes next.
    await tidyUp(site, journal);
    return null;
  }
  const kind = journal.operations[0]?.kind ?? 'restore';
  try {
    const paths = await rollForward(site, journal);
    await tidyUp(site, journal);
    return { code: 'recovered', message: `an interrupted ${kind} was finished`, paths };
  } catch (error) {
    if (!hasNoRoom(error)) throw error;
    await rollBack(site, journal);
    return { code: 'recovered', message: `an interrupted ${kind} was taken back: no space left` };
  }
}

async function tidyUp(site: CaptureSite, journal: Journal): Promise<void> {
  dropWithinReach(site, journal);
  syncStages(site, journal);
  await site.store.commit({ base: await site.store.seq(), journal: null });
}

/** Needs no room on the project's disk: old files only get their names back. */
async function rollBack(site: CaptureSite, journal: Journal): Promise<void> {
  for (const step of journal.steps.toReversed()) {
    try {
      backward(site.root, step);
    } catch (error) {
      if (!isTheirs(error)) throw error;
    }
  }
  dropWithinReach(site, journal);
  syncSteps(site, journal.steps);
  const removedCheckpoints = [journal.safetyCheckpointId];
  await site.store.commit({ base: await site.store.seq(), removedCheckpoints, journal: null });
}

function hasNoRoom(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');
}

/** Who put a link in place of a folder took its companions along; what they hold is in the store. */
function dropWithinReach(site: CaptureSite, journal: Journal): void {
  const steps = journal.steps.filter((step) => {
    const folder = pinFolderOrNull(site.root, step.stageFolder, isOutside(step.path));
    folder?.close();
    return folder !== null;
  });
  dropAllCompanions(site, { ...journal, steps });
}

/** Returns the paths that stay as somebody left them. */
async function rollForward(site: CaptureSite, journal: Journal): Promise<TrackedPath[]> {
  const foreign = new Set<TrackedPath>();
  for (const step of journal.steps) loosen(site, step);
  for (const step of journal.steps) {
    if (!(await redo(site, step))) foreign.add(step.path);
  }
  for (const step of journal.steps.toReversed()) {
    if (!foreign.has(step.path)) finishFolder(site.root, step);
  }
  syncSteps(site, journal.steps);
  const done = without(journal, foreign);
  await site.store.commit({ ...recordOf(done), journal: { ...done, phase: 'done' } });
  return [...foreign];
}

/** False when the path was somebody else's by now, or what belongs there is lost. */
async function redo(site: CaptureSite, step: JournalStep): Promise<boolean> {
  try {
    const there = sameState(currentState(site.root, step), step.to);
    if (!there && needsStaging(step)) await stageAgain(site, step);
    const link = there ? null : await linkOf(site, step);
    if (forward(site.root, step, link) === 'foreign') return false;
    if (stashIsIntact(site.root, step)) return true;
    backward(site.root, step);
    return false;
  } catch (error) {
    if (isSavepointError(error, 'blob-corrupt') || isSavepointError(error, 'blob-missing')) {
      // The old file is still there: better that than a store that cannot be opened again.
      backward(site.root, step);
      return false;
    }
    if (isTheirs(error)) return false;
    throw error;
  }
}

/** A folder that somebody filled, removed or replaced since is theirs. */
function isTheirs(error: unknown): boolean {
  const gone = isSavepointError(error, 'plan-stale') || isSavepointError(error, 'symlinked-parent');
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return gone || ['ENOTEMPTY', 'ENOTDIR', 'EEXIST'].includes(code);
}

/** The staged name may not have reached the disk; its bytes are in the store. */
async function stageAgain(site: CaptureSite, step: JournalStep): Promise<void> {
  const ready = withPlace(site.root, step, (place) => sameState(place.waiting(), step.to));
  if (ready) return;
  const bytes = await contentOf(site, step.to);
  withPlace(site.root, step, (place) => removeIfThere(place.staged));
  stageStep(site.root, step, bytes);
}

function loosen(site: CaptureSite, step: JournalStep): void {
  try {
    loosenFolder(site.root, step);
  } catch {
    // Gone or somebody else's: the step itself finds that out and says so.
  }
}

/** What goes on record leaves out the paths that were not reached. */
function without(journal: Journal, foreign: ReadonlySet<TrackedPath>): Journal {
  const changes = journal.changes.filter((change) => !foreign.has(change.path));
  const kept = new Set(changes.map((change) => change.seq));
  const cancellations = journal.cancellations.filter((pair) => kept.has(pair.by));
  return { ...journal, changes, cancellations };
}
