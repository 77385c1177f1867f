import { renameSync } from 'node:fs';
import { isOneFile, isThere, moveIntoPlace, removeIfThere } from '../fs/write-file.ts';
import type { JournalStep } from '../model/journal.ts';
import { type State, sameState } from '../model/state.ts';
import type { StepPlace } from './step-place.ts';

/**
 * Takes the entry of a step away that is to be taken back. Somebody may save the file after the last
 * look at it: so it is moved, looked at, and given back if it is theirs. False then.
 */
export function setAside(place: StepPlace, step: JournalStep): boolean {
  renameSync(place.entry, place.aside);
  return settleAside(place, step);
}

/** Settles what an earlier process may have left there, too. */
export function settleAside(place: StepPlace, step: JournalStep): boolean {
  const found = place.setAside();
  if (found.kind === 'absent') return true;
  const ours = !isThere(place.staged) || isOneFile(place.aside, place.staged);
  if (ours && sameState(found, step.to)) {
    removeIfThere(place.aside);
    return true;
  }
  giveBack(place);
  return false;
}

/** Where they have saved once more, both stay, and the tidying up says so. */
function giveBack(place: StepPlace): void {
  try {
    moveIntoPlace(place.aside, place.entry);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Whether an entry keeps its content when it is moved; folders are removed and made instead. */
export function isMovable(state: State): boolean {
  return state.kind === 'captured' && state.type !== 'directory';
}
