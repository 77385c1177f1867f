import type { JournalStep } from '../model/journal.ts';
import { type Captured, isDirectory, type State, sameState } from '../model/state.ts';
import { openMode } from './folder-modes.ts';
import type { StepOutcome, StepPlace } from './step-place.ts';

/** Changes a mode in place; a folder stays open to us until `finishFolder`. */
export function modeForward(place: StepPlace, { from, to }: JournalStep): StepOutcome {
  const current = place.current();
  if (to.kind !== 'captured' || from.kind !== 'captured') return 'foreign';
  if (sameState(current, to)) return 'done';
  if (!isOneOf(current, [from, open(from), open(to)])) return 'foreign';
  place.mark();
  place.parent.chmod(place.name, open(to).mode);
  return 'done';
}

/** A mode that somebody else has set stays. What was only loosened is tightened afterwards. */
export function modeBack(place: StepPlace, { from, to }: JournalStep): StepOutcome {
  const current = place.current();
  if (to.kind !== 'captured' || from.kind !== 'captured') return 'foreign';
  if (isOneOf(current, [from, open(from)])) return 'done';
  if (!place.isMarked || !isOneOf(current, [to, open(to)])) return 'foreign';
  place.parent.chmod(place.name, from.mode);
  return 'done';
}

function open(state: Captured): Captured {
  return isDirectory(state) ? { ...state, mode: openMode(state) } : state;
}

function isOneOf(current: State, states: readonly State[]): boolean {
  return states.some((state) => sameState(current, state));
}
