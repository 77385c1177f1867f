import type { CaptureSite } from '../capture/capture.ts';
import { isSavepointError } from '../model/errors.ts';
import type { Journal, JournalStep } from '../model/journal.ts';
import type { TrackedPath } from '../model/path.ts';
import type { PlanNote } from '../model/plan.ts';
import { sameState } from '../model/state.ts';
import { recordOf } from './apply.ts';
import { contentOf, dropAllCompanions, linkOf, syncFolders } from './run-journal.ts';
import { withPlace } from './step-place.ts';
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
  dropAllCompanions(site, journal);
  await site.store.commit({ base: await site.store.seq(), journal: null });
  const message = `an interrupted ${journal.operations[0]?.kind ?? 'restore'} was finished`;
  return { code: 'recovered', message, paths: left };
}

async function rollBack(site: CaptureSite, journal: Journal): Promise<PlanNote> {
  dropAllCompanions(site, journal);
  const removedCheckpoints = [journal.safetyCheckpointId];
  await site.store.commit({ base: await site.store.seq(), removedCheckpoints, journal: null });
  return { code: 'recovered', message: 'an interrupted restore had not begun and was dropped' };
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
  syncFolders(site, journal.steps);
  const done = without(journal, foreign);
  await site.store.commit({ ...recordOf(done), journal: { ...done, phase: 'done' } });
  return [...foreign];
}

/** False when the path was somebody else's by now. */
async function redo(site: CaptureSite, step: JournalStep): Promise<boolean> {
  try {
    if (needsStaging(step)) await stageAgain(site, step);
    if (forward(site.root, step, await linkOf(site, step)) === 'foreign') return false;
    if (stashIsIntact(site.root, step)) return true;
    backward(site.root, step);
    return false;
  } catch (error) {
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
  const bytes = await contentOf(site, step.to);
  withPlace(site.root, step, (place) => {
    const ready = sameState(place.waiting(), step.to) || sameState(place.current(), step.to);
    if (ready) return;
    removeIfThere(place.staged);
    stageStep(site.root, step, bytes);
  });
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
