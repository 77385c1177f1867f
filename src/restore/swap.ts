import { mkdirSync, renameSync, rmdirSync } from 'node:fs';
import { kindAt, type Sight } from '../fs/observe.ts';
import { giveName, isOneFile, isThere, moveIntoPlace, removeIfThere } from '../fs/write-file.ts';
import type { JournalStep } from '../model/journal.ts';
import { isDirectory, type State, sameState } from '../model/state.ts';
import { isMovable, setAside, settleAside } from './aside.ts';
import { isFolder, openMode } from './folder-modes.ts';
import { modeBack, modeForward } from './set-mode.ts';
import { about } from './step-errors.ts';
import { hasFolder, type StepOutcome, type StepPlace, withPlace } from './step-place.ts';

/**
 * Carries one step out. Works from what it finds, so it can run again after an interruption: the old
 * entry is moved aside as it is, never overwritten, and the new one takes a name that must be free.
 * `seen`: what was there a moment ago, for a caller who compares the stash with it in the end.
 */
export function forward(root: string, step: JournalStep, seen: Sight | null = null): StepOutcome {
  // Even the folder may be gone with what had to go.
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
  return about(path, () => kindAt(root, path)) === 'absent';
}

/** Before a step goes forward that a process may have been taking back when it died. */
export function settle(root: string, step: JournalStep): void {
  if (hasFolder(root, step)) withPlace(root, step, (place) => settleAside(place, step));
}

/**
 * Takes one step back, if it was ours: that is shown by the file itself, never by its content, which
 * its owner may have brought about. `foreign`: the path is left as it is, whoever made it so.
 */
export function backward(root: string, step: JournalStep): StepOutcome {
  // Where not even the folder was made, there is nothing to take back.
  if (!hasFolder(root, step)) return step.from.kind === 'absent' ? 'done' : 'foreign';
  return withPlace(root, step, (place) =>
    step.how === 'chmod' ? modeBack(place, step) : entryBack(place, step),
  );
}

function entryBack(place: StepPlace, step: JournalStep): StepOutcome {
  settleAside(place, step);
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

/** The state between the two halves of a step: the place is empty and the old entry put by. */
function wasTakenAway(place: StepPlace, { from }: JournalStep, current: State): boolean {
  if (current.kind !== 'absent') return false;
  return isDirectory(from) || (isMovable(from) && isThere(place.stash));
}

/** False for a folder that somebody has put something into, or where a stash holds what is theirs. */
function takeAway(place: StepPlace, from: State): boolean {
  if (isDirectory(from)) return removeFolder(place);
  if (!isMovable(from)) return true;
  if (isThere(place.stash) && !canStash(place, from)) return false;
  renameSync(place.entry, place.stash);
  return true;
}

/** Whether what an earlier process put by may be replaced. */
function canStash(place: StepPlace, from: State): boolean {
  // A process that died while it gave the name back left two names, and renaming one file's name to
  // its other does nothing.
  if (isOneFile(place.entry, place.stash)) removeIfThere(place.stash);
  const kept = place.stashed();
  return kept.kind === 'absent' || sameState(kept, from);
}

function bring(place: StepPlace, to: State): StepOutcome {
  return intoFreeName(() => {
    if (isDirectory(to)) makeFolder(place);
    else if (isMovable(to)) giveName(place.staged, place.entry);
  });
}

function makeFolder(place: StepPlace): void {
  mkdirSync(place.entry, 0o700);
  try {
    place.mark();
  } catch (error) {
    rmdirSync(place.entry);
    throw error;
  }
}

/** False where it is not ours, and where the entry that it replaced is not there to come back. */
function removeOurs(place: StepPlace, step: JournalStep): boolean {
  if (!reached(place.current(), step)) return false;
  if (isMovable(step.from) && !isThere(place.stash)) return false;
  if (isDirectory(step.to)) return place.isMarked && removeFolder(place);
  return isOurs(place, step) && setAside(place, step);
}

/**
 * A new file keeps the name under which it waited. Where that is gone (it was moved, because
 * `link` was refused), the stash shows that we were at work here; without one nothing does.
 */
function isOurs(place: StepPlace, { from }: JournalStep): boolean {
  return isThere(place.staged) ? isOneFile(place.entry, place.staged) : isMovable(from);
}

/** A folder stays open to us, since its entries come back after it. */
function bringBack(place: StepPlace, from: State): StepOutcome {
  return intoFreeName(() => {
    if (isFolder(from)) {
      mkdirSync(place.entry, 0o700);
      place.parent.chmod(place.name, openMode(from));
    } else if (isMovable(from)) moveIntoPlace(place.stash, place.entry);
  });
}

function removeFolder(place: StepPlace): boolean {
  try {
    rmdirSync(place.entry);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTEMPTY') return false;
    throw error;
  }
}

function intoFreeName(work: () => void): StepOutcome {
  try {
    work();
    return 'done';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return 'foreign';
    throw error;
  }
}
