import type { CaptureSite } from '../capture/capture.ts';
import { isSavepointError } from '../model/errors.ts';
import type { Journal, JournalStep } from '../model/journal.ts';
import type { TrackedPath } from '../model/path.ts';
import type { PlanNote } from '../model/plan.ts';
import { sameState } from '../model/state.ts';
import { putBack } from './alongside.ts';
import { recordOf } from './apply.ts';
import { dropAllCompanions, stashIsIntact } from './companions.ts';
import { finishFolder, loosenFolder, tightenFolder } from './folder-modes.ts';
import { outermostFirst, swapBack, syncStages, syncSteps, takenBack } from './run-journal.ts';
import { stageAgain } from './staging.ts';
import { hasNoRoom, isRefused, isTheirs, reasonOf } from './step-errors.ts';
import { currentState } from './step-place.ts';
import { backward, forward, settle } from './swap.ts';

/**
 * Finishes what an interrupted restore left, or takes it back where it cannot be finished. A path that
 * somebody edited since is left to them. Tells what a person should know. The caller holds the project
 * lock. Safe to be interrupted itself.
 */
export async function recover(site: CaptureSite, tell: Tell): Promise<void> {
  const journal = await site.store.journal();
  if (journal === null) return;
  if (journal.phase === 'done') return tidyUp(site, journal, tell);
  const { note, rest } = await (journal.phase === 'alongside' ? giveUp : finish)(site, journal);
  tell([note]);
  // What is on record is not taken back, whatever goes wrong from here on.
  await tidyUp(site, rest, tell);
}

type Tell = (notes: readonly PlanNote[]) => void;

interface Finished {
  readonly note: PlanNote;
  /** The journal as it is now: done. */
  readonly rest: Journal;
}

async function finish(site: CaptureSite, journal: Journal): Promise<Finished> {
  try {
    return await rollForward(site, journal, 'or take back');
  } catch (error) {
    if (hasNoRoom(error)) return rollBack(site, journal, 'no space left');
    if (isRefused(error)) return finishWhatCanBe(site, journal, error);
    throw error;
  }
}

/** Nothing of the plan was begun: what another program rewound meanwhile becomes what it was. */
async function giveUp(site: CaptureSite, journal: Journal): Promise<Finished> {
  const left = await putBack(site, journal);
  const { alongside: _done, ...begun } = journal;
  const rest = takenBack(begun);
  const removedCheckpoints = [journal.safetyCheckpointId];
  await site.store.commit({ base: await site.store.seq(), removedCheckpoints, journal: rest });
  return { note: recovered(`an interrupted ${kindOf(journal)} was taken back`, left), rest };
}

/** All back if that can be; else all forward but for the paths that let nobody write. */
async function finishWhatCanBe(
  site: CaptureSite,
  journal: Journal,
  refusal: unknown,
): Promise<Finished> {
  try {
    return await rollBack(site, journal, reasonOf(refusal));
  } catch (error) {
    if (!isRefused(error)) throw error;
    return rollForward(site, journal, 'or leave');
  }
}

/** The restore is on record, or taken back. Where a companion cannot be removed, the journal stays. */
async function tidyUp(site: CaptureSite, journal: Journal, tell: Tell): Promise<void> {
  const { notes, complete } = dropAllCompanions(site, journal);
  tell(notes);
  if (!complete) return;
  await syncStages(site, journal);
  await site.store.commit({ base: await site.store.seq(), journal: null });
}

/** Needs no room on the project's disk: old files only get their names back. */
async function rollBack(site: CaptureSite, journal: Journal, why: string): Promise<Finished> {
  const left = await swapBack(site, journal.steps);
  const removedCheckpoints = [journal.safetyCheckpointId];
  const rest = takenBack(journal);
  await site.store.commit({ base: await site.store.seq(), removedCheckpoints, journal: rest });
  const message = `an interrupted ${kindOf(journal)} was taken back: ${why}`;
  return { note: recovered(message, left), rest };
}

/** What is done where a path cannot be written: `or take back` throws. */
type Otherwise = 'or take back' | 'or leave';

async function rollForward(
  site: CaptureSite,
  journal: Journal,
  otherwise: Otherwise,
): Promise<Finished> {
  const foreign = new Set<TrackedPath>();
  for (const step of outermostFirst(journal.steps)) loosen(site, step);
  for (const step of journal.steps) {
    if (!(await redo(site, step, otherwise))) foreign.add(step.path);
  }
  for (const step of journal.steps.toReversed()) {
    const setMode = foreign.has(step.path) ? tightenFolder : finishFolder;
    unlessRefused(otherwise, () => setMode(site.root, step));
  }
  await syncSteps(site, journal.steps);
  const rest: Journal = { ...without(journal, foreign), phase: 'done' };
  const removedCheckpoints = rest.operations.length === 0 ? [journal.safetyCheckpointId] : [];
  await site.store.commit({ ...recordOf(rest), removedCheckpoints, journal: rest });
  const message = `an interrupted ${kindOf(journal)} was finished${exceptFor(foreign)}`;
  return { note: recovered(message, [...foreign]), rest };
}

/** False when the path was somebody else's by now, or what belongs there is lost. */
async function redo(site: CaptureSite, step: JournalStep, otherwise: Otherwise): Promise<boolean> {
  try {
    settle(site.root, step);
    const there = sameState(currentState(site.root, step), step.to);
    const ready = there || (await stageAgain(site, step));
    if (ready && forward(site.root, step) === 'foreign') return false;
    if (ready && stashIsIntact(site.root, step)) return true;
  } catch (error) {
    if (isTheirs(error)) return false;
    const lost = isSavepointError(error, 'blob-corrupt') || isSavepointError(error, 'blob-missing');
    // The old file is still there: better that than a store that cannot be opened again.
    if (!lost && !(isRefused(error) && otherwise === 'or leave')) throw error;
  }
  unlessRefused(otherwise, () => backward(site.root, step));
  return false;
}

function unlessRefused(otherwise: Otherwise, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (otherwise === 'or take back' || !isRefused(error)) throw error;
  }
}

function loosen(site: CaptureSite, step: JournalStep): void {
  try {
    loosenFolder(site.root, step);
  } catch {
    // Gone or somebody else's: the step itself finds that out and says so.
  }
}

/**
 * What goes on record leaves out the paths that were not reached. An undo that did not reach all of
 * them can be repeated, as one with conflicts can; what reached none has not happened.
 */
function without(journal: Journal, foreign: ReadonlySet<TrackedPath>): Journal {
  if (foreign.size === 0) return journal;
  const changes = journal.changes.filter((change) => !foreign.has(change.path));
  const kept = new Set(changes.map((change) => change.seq));
  const cancellations = journal.cancellations.filter((pair) => kept.has(pair.by));
  const operations = changes.length === 0 ? [] : journal.operations.slice(0, 1);
  return { ...journal, operations, changes, cancellations };
}

function recovered(message: string, paths: readonly TrackedPath[]): PlanNote {
  return { code: 'recovered', message, paths };
}

function exceptFor(foreign: ReadonlySet<TrackedPath>): string {
  return foreign.size === 0 ? '' : ', except for paths that could not be restored as planned';
}

function kindOf(journal: Journal): string {
  return journal.operations[0]?.kind ?? 'restore';
}
