import type { JournalStep } from '../model/journal.ts';
import { type Captured, isDirectory, type State } from '../model/state.ts';
import { stateIn, withParent, withPlace } from './step-place.ts';

/** Folders that will be worked in must let us in; their mode comes back with them on a step back. */
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

/** Gives folders their exact mode, once nothing more has to be put into them. */
export function finishFolder(root: string, step: JournalStep): void {
  const { to } = step;
  if (!isFolder(to)) return;
  withParent(root, step, (parent, name) => {
    if (isDirectory(stateIn(parent, name))) parent.chmod(name, to.mode);
  });
}

/** What was loosened gets its mode back, unless somebody has given it another one since. */
export function tightenFolder(root: string, step: JournalStep): void {
  const { from } = step;
  if (isClosed(from)) change(root, step, openMode(from), from.mode);
}

/** After steps back: the same for a new folder of ours that stays, with what somebody put into it. */
export function tightenAgain(root: string, step: JournalStep): void {
  const { to } = step;
  if (isClosed(to)) change(root, step, openMode(to), to.mode);
}

/** A mode is no name: it is durable once the entry itself is synced. New files were, when staged. */
export function needsModeSync({ how, to, from }: JournalStep): boolean {
  return how === 'chmod' || isDirectory(to) || isDirectory(from);
}

/** A descriptor to sync and close; null where the entry is gone. */
export function openModeToSync(root: string, step: JournalStep): number | null {
  return withParent(root, step, (parent, name) => parent.openToSync(name));
}

/** The mode that a folder has while it is worked in. */
export function openMode({ mode }: Captured): number {
  return mode | 0o700;
}

export function isFolder(state: State): state is Captured {
  return isDirectory(state);
}

/** Whether nothing could be put into such a folder. */
function isClosed(state: State): state is Captured {
  return isFolder(state) && (state.mode & 0o300) !== 0o300;
}

function change(root: string, step: JournalStep, before: number, after: number): void {
  withParent(root, step, (parent, name) => {
    const state = stateIn(parent, name);
    if (isFolder(state) && state.mode === before) parent.chmod(name, after);
  });
}
