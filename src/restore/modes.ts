import { kindOf } from '../fs/entries.ts';
import type { JournalStep } from '../model/journal.ts';
import {
  type Captured,
  isDirectory,
  type State,
  sameState,
  sameWithSetId,
} from '../model/state.ts';
import type { StepOutcome } from './step.ts';
import { type StepPlace, stateIn, withParent, withPlace } from './step-place.ts';

/*
 * Folders that a restore works in must let us in. They are loosened before the steps, outermost first, get
 * their exact mode after them, and on a way back the mode that they had.
 */

/** Changes a mode in place; a folder stays open to us until `finishFolder`. */
export function modeForward(place: StepPlace, { from, to }: JournalStep): StepOutcome {
  const current = place.current();
  if (to.kind !== 'captured' || from.kind !== 'captured') return 'foreign';
  if (sameWithSetId(current, to)) return 'done';
  if (!isOneOf(current, [from, opened(from), opened(to)])) return 'foreign';
  place.mark();
  place.parent.chmod(place.name, opened(to).mode);
  return 'done';
}

/** A mode that somebody else has set stays. A folder that was only loosened is tightened afterwards. */
export function modeBack(place: StepPlace, { from, to }: JournalStep): StepOutcome {
  const current = place.current();
  if (to.kind !== 'captured' || from.kind !== 'captured') return 'foreign';
  if (isOneOf(current, [from, opened(from)])) return 'done';
  if (!place.isMarked || !isOneOf(current, [to, opened(to)])) return 'foreign';
  place.parent.chmod(place.name, from.mode);
  return 'done';
}

/** Lets us into a folder that will be worked in; its mode comes back with it on a step back. */
export function loosenFolder(root: string, step: JournalStep): void {
  const { from } = step;
  if (isClosed(from)) change(root, step, from.mode, openMode(from));
}

/** The same before steps back, for a folder that has its new mode already, from us. */
export function loosenAgain(root: string, step: JournalStep): void {
  const { to } = step;
  if (!isClosed(to) || !withPlace(root, step, (place) => place.isMarked)) return;
  change(root, step, to.mode, openMode(to));
}

/** Gives a folder its exact mode, once nothing more has to be put into it. */
export function finishFolder(root: string, step: JournalStep): void {
  const { to } = step;
  if (!isDirectory(to)) return;
  withParent(root, step, (parent, name) => {
    // Throws if the entry cannot be looked at, because the folder would stay open without a word.
    if (kindOf(parent.entry(name)) === 'directory') parent.chmod(name, to.mode);
  });
}

/** Gives a loosened folder its mode back, unless somebody has given it another one since. */
export function tightenFolder(root: string, step: JournalStep): void {
  const { from } = step;
  if (isClosed(from)) change(root, step, openMode(from), from.mode);
}

/** After steps back: the same for a new folder of ours that stays because somebody put a file into it. */
export function tightenAgain(root: string, step: JournalStep): void {
  const { to } = step;
  if (isClosed(to)) change(root, step, openMode(to), to.mode);
}

/** The mode that a folder has while it is worked in. */
export function openMode({ mode }: Captured): number {
  return mode | 0o700;
}

function opened(state: Captured): Captured {
  return isDirectory(state) ? { ...state, mode: openMode(state) } : state;
}

function isOneOf(current: State, states: readonly State[]): boolean {
  return states.some((state) => sameState(current, state));
}

/** Whether nothing could be put into such a folder. */
function isClosed(state: State): state is Captured {
  return isDirectory(state) && (state.mode & 0o300) !== 0o300;
}

function change(root: string, step: JournalStep, before: number, after: number): void {
  withParent(root, step, (parent, name) => {
    const state = stateIn(parent, name);
    const isAsBefore = isDirectory(state) && sameState(state, { ...state, mode: before });
    if (isAsBefore) parent.chmod(name, after);
  });
}
