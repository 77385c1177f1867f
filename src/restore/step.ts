import {
  giveName,
  isOneFile,
  isThere,
  makeFolder,
  move,
  moveIntoPlace,
  removeFolder,
  removeIfThere,
} from '../fs/entries.ts';
import { kindAt, type StateAndStat } from '../fs/observe.ts';
import type { JournalStep } from '../model/journal.ts';
import { isDirectory, type State, sameState } from '../model/state.ts';
import { modeBack, modeForward, openMode } from './modes.ts';
import { hasFolder, namingPath, type StepPlace, withPlace } from './step-place.ts';

/** `foreign`: the entry is neither the old one nor ours, but somebody else's; nothing was done. */
export type StepOutcome = 'done' | 'foreign';

/**
 * Carries one step out. Works from what it finds, so it can run again after an interruption: the old
 * entry is moved aside as it is, never overwritten, and the new one takes a name that must be free.
 * `seen`: what was there a moment ago, for a caller who compares the stash with it in the end.
 */
export function forward(
  root: string,
  step: JournalStep,
  seen: StateAndStat | null = null,
): StepOutcome {
  // An earlier step may have removed the folder, and the entry with it.
  if (step.to.kind === 'absent' && isGone(root, step)) return 'done';
  return withPlace(root, step, (place) => {
    if (step.how === 'chmod') return modeForward(place, step);
    const current = place.currentSince(seen);
    if (reached(current, step)) return 'done';
    const empty = isStill(current, step)
      ? takeAway(place, step.from)
      : wasTakenAway(place, step, current);
    return empty ? bring(place, step.to) : 'foreign';
  });
}

function isGone(root: string, { path }: JournalStep): boolean {
  return namingPath(path, () => kindAt(root, path)) === 'absent';
}

/**
 * Clears the entry that a process had moved aside when it died while it took this step back. Call it before
 * `forward`.
 */
export function clearAsideAt(root: string, step: JournalStep): void {
  if (hasFolder(root, step)) withPlace(root, step, (place) => clearAside(place, step));
}

/**
 * Takes one step back, if it was ours: that is shown by the file itself, never by its content, which
 * its owner may have brought about. `foreign`: the path is left as it is.
 */
export function backward(root: string, step: JournalStep): StepOutcome {
  // Where not even the folder was made, there is nothing to take back.
  if (!hasFolder(root, step)) return step.from.kind === 'absent' ? 'done' : 'foreign';
  return withPlace(root, step, (place) =>
    step.how === 'chmod' ? modeBack(place, step) : entryBack(place, step),
  );
}

function entryBack(place: StepPlace, step: JournalStep): StepOutcome {
  clearAside(place, step);
  const current = place.current();
  if (isStill(current, step)) return 'done';
  const empty =
    current.kind === 'absent' ? wasTakenAway(place, step, current) : removeOurs(place, step);
  return empty ? bringBack(place, step.from) : 'foreign';
}

/** Folders count by being there: their mode is loosened on the way and made exact at the end. */
function reached(current: State, { to }: JournalStep): boolean {
  return isDirectory(to) ? isDirectory(current) : sameState(current, to);
}

function isStill(current: State, { from }: JournalStep): boolean {
  return isDirectory(from) ? isDirectory(current) : sameState(current, from);
}

/** Whether an entry keeps its content when it is moved; folders are removed and made instead. */
export function isMovable(state: State): boolean {
  return state.kind === 'captured' && state.type !== 'directory';
}

/** The state between the two halves of a step: the place is empty and the old entry put by. */
function wasTakenAway(place: StepPlace, { from }: JournalStep, current: State): boolean {
  if (current.kind !== 'absent') return false;
  return isDirectory(from) || (isMovable(from) && isThere(place.stash));
}

/** False for a folder that somebody has put a file into, or where the stash holds a file of theirs. */
function takeAway(place: StepPlace, from: State): boolean {
  if (isDirectory(from)) return removeFolder(place.entry);
  if (!isMovable(from)) return true;
  if (isThere(place.stash) && !canStash(place, from)) return false;
  move(place.entry, place.stash);
  return true;
}

/** Whether a stash of an earlier process may be replaced. */
function canStash(place: StepPlace, from: State): boolean {
  // A process that died while it gave the name back left two names, and renaming one file's name to
  // its other does nothing.
  if (isOneFile(place.entry, place.stash)) removeIfThere(place.stash);
  const kept = place.stashed();
  return kept.kind === 'absent' || sameState(kept, from);
}

function bring(place: StepPlace, to: State): StepOutcome {
  try {
    if (isDirectory(to)) makeMarkedFolder(place);
    else if (isMovable(to)) giveName(place.staged, place.entry);
    return 'done';
  } catch (error) {
    return foreignIfTaken(error);
  }
}

/** Somebody has put an entry there meanwhile: it stays. */
function foreignIfTaken(error: unknown): 'foreign' {
  if ((error as NodeJS.ErrnoException).code === 'EEXIST') return 'foreign';
  throw error;
}

function makeMarkedFolder(place: StepPlace): void {
  makeFolder(place.entry, 0o700);
  try {
    place.mark();
  } catch (error) {
    removeFolder(place.entry);
    throw error;
  }
}

/** False where it is not ours, and where the entry that it replaced is not there to come back. */
function removeOurs(place: StepPlace, step: JournalStep): boolean {
  if (!reached(place.current(), step)) return false;
  if (isMovable(step.from) && !isThere(place.stash)) return false;
  if (isDirectory(step.to)) return place.isMarked && removeFolder(place.entry);
  if (!isOurs(place, step)) return false;
  // Somebody may save the file after the last look at it: so it is moved, and looked at again.
  move(place.entry, place.aside);
  return clearAside(place, step);
}

/**
 * A new file keeps the name under which it waited. Where that is gone (it was moved, because
 * `link` was refused), the stash shows that we were at work here; without one nothing does.
 */
function isOurs(place: StepPlace, { from }: JournalStep): boolean {
  return isThere(place.staged) ? isOneFile(place.entry, place.staged) : isMovable(from);
}

/**
 * An entry that was moved aside, by us or by a process that died, is removed if it is ours, and given back
 * otherwise. False then.
 */
function clearAside(place: StepPlace, step: JournalStep): boolean {
  const found = place.setAside();
  if (found.kind === 'absent') return true;
  const ours = !isThere(place.staged) || isOneFile(place.aside, place.staged);
  if (ours && sameState(found, step.to)) {
    removeIfThere(place.aside);
    return true;
  }
  try {
    moveIntoPlace(place.aside, place.entry);
  } catch (error) {
    // They have saved once more: both stay, and the tidying up says so.
    foreignIfTaken(error);
  }
  return false;
}

/** A folder stays open to us, since its entries come back after it. */
function bringBack(place: StepPlace, from: State): StepOutcome {
  try {
    if (isDirectory(from)) {
      makeFolder(place.entry, 0o700);
      place.parent.chmod(place.name, openMode(from));
    } else if (isMovable(from)) moveIntoPlace(place.stash, place.entry);
    return 'done';
  } catch (error) {
    return foreignIfTaken(error);
  }
}
