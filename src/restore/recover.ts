import type { CaptureSite } from '../capture/capture.ts';
import { isSavepointError } from '../model/errors.ts';
import type { Journal, JournalStep } from '../model/journal.ts';
import type { TrackedPath } from '../model/path.ts';
import type { PlanNote } from '../model/plan.ts';
import { sameState } from '../model/state.ts';
import { currentSeq } from '../store/find.ts';
import { putBack } from './alongside.ts';
import { recordOf } from './apply.ts';
import {
  dropAllCompanions,
  hasStash,
  stashIsIntact,
  stepsToTidy,
  unfinished,
  untidied,
} from './companions.ts';
import { finishFolder, loosenFolder, tightenFolder } from './modes.ts';
import { stageAgain } from './staging.ts';
import { backward, clearAsideAt, forward } from './step.ts';
import { currentState, hasNoRoom, isRefused, isTheirs, reasonOf } from './step-place.ts';
import {
  outermostFirst,
  recordTakenBack,
  swapBack,
  syncStages,
  syncSteps,
  takenBack,
  withoutGuards,
} from './steps.ts';

/**
 * Finishes what an interrupted restore left, or takes it back where it cannot be finished. A path that
 * somebody edited since is left to them. Tells what a person should know. The caller holds the project
 * lock. Safe to be interrupted itself.
 */
export async function recover(site: CaptureSite, journal: Journal, tell: Tell): Promise<void> {
  const done = journal.phase === 'done' ? journal : await finishOrTakeBack(site, journal, tell);
  try {
    await tidyUp(site, done, tell);
  } catch (error) {
    throw untidied(site.root, error);
  }
}

/** Brings a restore to an end, one way or the other, and returns its journal, which is done. */
async function finishOrTakeBack(site: CaptureSite, journal: Journal, tell: Tell): Promise<Journal> {
  try {
    const { note, rest } = await (journal.phase === 'alongside' ? giveUp : finish)(site, journal);
    tell([note]);
    return rest;
  } catch (error) {
    // No later command can finish a damaged journal.
    throw isSavepointError(error, 'store-corrupt') ? error : unfinished(site.root, journal, error);
  }
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

/** Nothing of the plan was begun: files that another program rewound go back to how they were. */
async function giveUp(site: CaptureSite, journal: Journal): Promise<Finished> {
  const left = await putBack(site, journal);
  const rest = await recordTakenBack(site, withoutGuards(journal, left), left);
  return { note: recovered(`an interrupted ${kindOf(journal)} was taken back`, left), rest };
}

/** Takes everything back if possible; otherwise finishes all paths except those that refuse writes. */
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

/** The restore is on record, or taken back. The journal stays for the companions that cannot be removed. */
async function tidyUp(site: CaptureSite, journal: Journal, tell: Tell): Promise<void> {
  const { notes, untidy } = dropAllCompanions(site, journal);
  tell(notes);
  if (untidy.length === 0) await syncStages(site, journal);
  const isShorter = untidy.length < stepsToTidy(journal).length;
  if (untidy.length > 0 && !isShorter) return;
  const rest = untidy.length === 0 ? null : { ...takenBack(journal), steps: [], untidy };
  await site.store.timeline.commit({ base: await currentSeq(site.store), journal: rest });
}

/** Needs no room on the project's disk: old files only get their names back. */
async function rollBack(site: CaptureSite, journal: Journal, why: string): Promise<Finished> {
  const left = await swapBack(site, journal.steps);
  const rest = await recordTakenBack(site, journal, left);
  const message = `an interrupted ${kindOf(journal)} was taken back: ${why}`;
  return { note: recovered(message, left), rest };
}

/** Where a path cannot be written: `or take back` throws, `or leave` goes on with the others. */
type Otherwise = 'or take back' | 'or leave';

async function rollForward(
  site: CaptureSite,
  journal: Journal,
  otherwise: Otherwise,
): Promise<Finished> {
  const foreign = new Set<TrackedPath>();
  for (const step of outermostFirst(journal.steps)) loosen(site, step);
  for (const step of journal.steps) {
    if (!(await finishStep(site, step, otherwise))) foreign.add(step.path);
  }
  for (const step of journal.steps.toReversed()) {
    const setMode = foreign.has(step.path) ? tightenFolder : finishFolder;
    unlessRefused(otherwise, () => setMode(site.root, step));
  }
  await syncSteps(site, journal.steps);
  const rest: Journal = { ...without(journal, foreign), phase: 'done' };
  // Where nothing came of it, the safety checkpoint goes, unless a file waits in its stash.
  const isNeeded = rest.operations.length > 0 || journal.steps.some((step) => isBegun(site, step));
  const removedCheckpoints = isNeeded ? [] : [journal.safetyCheckpointId];
  await site.store.timeline.commit({ ...recordOf(rest), removedCheckpoints, journal: rest });
  const message = `an interrupted ${kindOf(journal)} was finished${exceptFor(foreign)}`;
  return { note: recovered(message, [...foreign]), rest };
}

/** False when somebody else has changed the path since, or its new content is lost. */
async function finishStep(
  site: CaptureSite,
  step: JournalStep,
  otherwise: Otherwise,
): Promise<boolean> {
  try {
    clearAsideAt(site.root, step);
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
  takeStepBack(site, step, otherwise);
  return false;
}

/** A path that refuses writes is left as it is, unless its file is away in the stash: that throws. */
function takeStepBack(site: CaptureSite, step: JournalStep, otherwise: Otherwise): void {
  try {
    backward(site.root, step);
  } catch (error) {
    if (otherwise === 'or take back' || !isRefused(error)) throw error;
    const isGone = currentState(site.root, step).kind === 'absent';
    if (isGone && step.from.kind === 'captured') throw error;
  }
}

/** Whether the old file was moved away and is not back. */
function isBegun({ root }: CaptureSite, step: JournalStep): boolean {
  return hasStash(root, step) && !sameState(currentState(root, step), step.from);
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
 * Leaves the paths out that were not reached. An undo that did not reach all of them can be repeated, as
 * one with conflicts can; an operation that reached none has not happened.
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
