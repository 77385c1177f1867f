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
 * Finishes what an interrupted restore left: forward if its intent was on record, back otherwise. A
 * path that somebody edited since is left to them. Returns what a person should know, or null when
 * there was nothing to do. The caller holds the project lock. Safe to be interrupted itself.
 */
export async function recover(site: CaptureSite): Promise<PlanNote | null> {
  const journal = await site.store.journal();
  if (journal === null) return null;
  if (journal.phase === 'staging') return rollBack(site, journal);
  const left = journal.phase === 'intent' ? await rollForward(site, journal) : [];
  dropWithinReach(site, journal);
  syncStages(site, journal);
  await site.store.commit({ base: await site.store.seq(), journal: null });
  // Every restore leaves this much to whoever comes next.
  if (journal.phase === 'done') return null;
  const message = `an interrupted ${journal.operations[0]?.kind ?? 'restore'} was finished`;
  return { code: 'recovered', message, paths: left };
}

async function rollBack(site: CaptureSite, journal: Journal): Promise<PlanNote> {
  dropWithinReach(site, journal);
  syncStages(site, journal);
  const removedCheckpoints = [journal.safetyCheckpointId];
  await site.store.commit({ base: await site.store.seq(), removedCheckpoints, journal: null });
  return { code: 'recovered', message: 'an interrupted restore had not begun and was dropped' };
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
    const gone =
      isSavepointError(error, 'plan-stale') || isSavepointError(error, 'symlinked-parent');
    const code = (error as NodeJS.ErrnoException).code ?? '';
    // A folder that somebody filled or removed since is theirs as well.
    if (gone || ['ENOTEMPTY', 'ENOTDIR', 'EEXIST'].includes(code)) return false;
    throw error;
  }
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
