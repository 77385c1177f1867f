import { mkdirSync, renameSync, rmdirSync, symlinkSync } from 'node:fs';
import { pinFolder, pinParentOrNull } from '../capture/pinned-folder.ts';
import type { JournalStep } from '../model/journal.ts';
import { isOutside, nameOf } from '../model/path.ts';
import { type Captured, isDirectory, type State, sameState } from '../model/state.ts';
import {
  currentState,
  hasFolder,
  type StepPlace,
  stateIn,
  withPlace,
  withStage,
} from './step-place.ts';
import { moveIntoPlace, removeIfThere, writeNewFile } from './write-file.ts';

/** `foreign`: neither the state to leave nor the one to reach is there; nothing was done. */
export type StepOutcome = 'done' | 'foreign';

/** Whether a step brings a file that has to be written beforehand. */
export function needsStaging(step: JournalStep): step is JournalStep & { to: Captured } {
  return step.how === 'replace' && step.to.kind === 'captured' && step.to.type === 'file';
}

export function stageStep(root: string, step: JournalStep, bytes: Uint8Array): void {
  const mode = step.to.kind === 'captured' ? step.to.mode : 0o600;
  withStage(root, step, (stage) => writeNewFile(stage.entry(step.stagedName), bytes, mode));
}

/** Folders that will be emptied must let us in; their mode comes back with them on a step back. */
export function loosenFolder(root: string, step: JournalStep): void {
  const { from } = step;
  if (from.kind !== 'captured' || from.type !== 'directory' || (from.mode & 0o300) === 0o300)
    return;
  withPlace(root, step, (place) => place.parent.chmod(place.name, from.mode | 0o700));
}

/**
 * Carries one step out. Works from what it finds, so it can run again after an interruption: the old
 * entry is moved aside as it is, never overwritten, and the new one takes a name that must be free.
 * `link` is the target of a link that the step brings.
 */
export function forward(root: string, step: JournalStep, link: Uint8Array | null): StepOutcome {
  // Even the folder may be gone with what had to go.
  if (step.to.kind === 'absent' && currentState(root, step).kind === 'absent') return 'done';
  return withPlace(root, step, (place) => {
    const current = place.current();
    if (step.how === 'chmod') return setMode(place, current, step.from, step.to);
    if (reached(current, step)) return 'done';
    const empty = isStill(current, step.from)
      ? takeAway(place, step.from)
      : wasTakenAway(place, step, current);
    return empty ? bring(place, step.to, link) : 'foreign';
  });
}

/** Takes one step back, as far as what is there is still ours. */
export function backward(root: string, step: JournalStep): void {
  // Where not even the folder was made, there is nothing to take back.
  if (!hasFolder(root, step)) return;
  withPlace(root, step, (place) => {
    const current = place.current();
    if (step.how === 'chmod') {
      setMode(place, current, step.to, step.from);
    } else if (reached(current, step) || wasTakenAway(place, step, current)) {
      if (isDirectory(current)) rmdirSync(place.entry);
      else if (current.kind === 'captured') setAside(place);
      bringBack(place, step.from);
    }
    setFolderMode(place, step.from);
  });
}

/** Gives folders their exact mode, once nothing more has to be put into them. */
export function finishFolder(root: string, step: JournalStep): void {
  if (isDirectory(step.to)) withPlace(root, step, (place) => setFolderMode(place, step.to));
}

/** A mode is no name: it is durable once the entry itself is synced. New files were, when staged. */
export function syncMode(root: string, step: JournalStep): void {
  if (step.how !== 'chmod' && !isDirectory(step.to) && !isDirectory(step.from)) return;
  const parent = pinParentOrNull(root, step.path);
  try {
    parent?.syncEntry(nameOf(step.path));
  } finally {
    parent?.close();
  }
}

/** Whether the kept predecessor is still what the plan expected; if not, somebody wrote to it. */
export function stashIsIntact(root: string, step: JournalStep): boolean {
  if (step.how === 'chmod' || !isMovable(step.from)) return true;
  return withStage(root, step, (stage) => {
    const kept = stateIn(stage, step.stashName);
    return kept.kind === 'absent' || sameState(kept, step.from);
  });
}

/**
 * Removes both companions; where even their folder is gone, so are they. A stash that somebody wrote
 * to holds bytes that are nowhere else: it stays, and false is returned.
 */
export function dropCompanions(root: string, step: JournalStep): boolean {
  const stage = pinFolder(root, step.stageFolder, isOutside(step.path));
  if (stage === null) return true;
  try {
    removeIfThere(stage.entry(step.stagedName));
    const kept = stateIn(stage, step.stashName);
    if (kept.kind !== 'absent' && !sameState(kept, step.from)) return false;
    removeIfThere(stage.entry(step.stashName));
    return true;
  } finally {
    stage.close();
  }
}

/** Folders count by being there: their mode is loosened on the way and made exact at the end. */
function reached(current: State, step: JournalStep): boolean {
  return isDirectory(step.to) ? isDirectory(current) : sameState(current, step.to);
}

function isStill(current: State, from: State): boolean {
  return isDirectory(from) ? isDirectory(current) : sameState(current, from);
}

/** The state between the two halves of a step: the place is empty and the old entry put by. */
function wasTakenAway(place: StepPlace, step: JournalStep, current: State): boolean {
  if (current.kind !== 'absent') return false;
  return isDirectory(step.from) || (isMovable(step.from) && place.stashed().kind !== 'absent');
}

/** False for a folder that somebody has put something into. */
function takeAway(place: StepPlace, from: State): boolean {
  try {
    if (isDirectory(from)) rmdirSync(place.entry);
    else if (isMovable(from)) renameSync(place.entry, place.stash);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTEMPTY') return false;
    throw error;
  }
}

function bring(place: StepPlace, to: State, link: Uint8Array | null): StepOutcome {
  try {
    if (isDirectory(to)) mkdirSync(place.entry, 0o700);
    else if (link !== null) symlinkSync(Buffer.from(link), place.entry);
    else if (to.kind === 'captured') moveIntoPlace(place.staged, place.entry);
    return 'done';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return 'foreign';
    throw error;
  }
}

/** Renaming one name of a file to its other would leave both, and the place taken. */
function setAside(place: StepPlace): void {
  removeIfThere(place.staged);
  renameSync(place.entry, place.staged);
}

function bringBack(place: StepPlace, from: State): void {
  if (isDirectory(from)) mkdirSync(place.entry, 0o700);
  else if (isMovable(from)) moveIntoPlace(place.stash, place.entry);
}

function setMode(place: StepPlace, current: State, from: State, to: State): StepOutcome {
  if (to.kind !== 'captured') return 'foreign';
  if (sameState(current, to)) return 'done';
  if (!isStill(current, from)) return 'foreign';
  place.parent.chmod(place.name, to.type === 'directory' ? to.mode | 0o700 : to.mode);
  return 'done';
}

function setFolderMode(place: StepPlace, state: State): void {
  if (state.kind !== 'captured' || state.type !== 'directory') return;
  if (isDirectory(place.current())) place.parent.chmod(place.name, state.mode);
}

function isMovable(state: State): boolean {
  return state.kind === 'captured' && state.type !== 'directory';
}
