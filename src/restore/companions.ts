import type { CaptureSite } from '../capture/capture.ts';
import { type FsPath, type PinnedFolder, pinFolderOrNull } from '../capture/pinned-folder.ts';
import type { Journal, JournalStep } from '../model/journal.ts';
import { isOutside, nameOf } from '../model/path.ts';
import type { PlanNote } from '../model/plan.ts';
import { isDirectory, sameState } from '../model/state.ts';
import { isMovable } from './aside.ts';
import { removeFreeingLater } from './free-later.ts';
import { about, reasonOf } from './step-errors.ts';
import { asideName, stateIn, waitsBeside, withParent, withStage } from './step-place.ts';
import { isOneFile, isThere, isUnfinished, removeIfThere } from './write-file.ts';

/** Whether the kept predecessor is still what the plan expected; if not, somebody wrote to it. */
export function stashIsIntact(root: string, step: JournalStep): boolean {
  if (step.how === 'chmod' || !isMovable(step.from)) return true;
  return withStage(root, step, (stage) => {
    const kept = stateIn(stage, step.stashName);
    return kept.kind === 'absent' || sameState(kept, step.from);
  });
}

/** What the tidying up after a restore came to. */
export interface Tidied {
  /** What a person should know of what is left. */
  readonly notes: readonly PlanNote[];
  /** False when companions are left that had to go, so that somebody must try again. */
  readonly complete: boolean;
}

/** Removes the companions of all steps, as far as they hold nothing that is nowhere else. */
export function dropAllCompanions(site: CaptureSite, journal: Journal): Tidied {
  const kept: { step: JournalStep; names: string[] }[] = [];
  const failures: unknown[] = [];
  for (const step of journal.steps) {
    try {
      const names = about(step.path, () => dropCompanions(site.root, step));
      if (names.length > 0) kept.push({ step, names });
    } catch (error) {
      failures.push(error);
    }
  }
  const notes = [...writtenMeanwhile(kept), ...leftToTidy(failures)];
  return { notes, complete: failures.length === 0 };
}

/** Where even their folder is gone, so are they. Returns the names of those that have to stay. */
export function dropCompanions(root: string, step: JournalStep): string[] {
  const stage = pinFolderOrNull(root, step.stageFolder, isOutside(step.path));
  if (stage === null) return [];
  const at = (name: string): Pick<Companion, 'name' | 'at'> => ({ name, at: stage.entry(name) });
  const isOld = (): boolean => sameState(stateIn(stage, step.stashName), step.from);
  const companions: Companion[] = [
    { ...at(asideName(step)), isSpare: () => isAside(stage, step) },
    { ...at(step.stagedName), isSpare: () => isSpareNew(root, step, stage) },
    // The only name of a file, as a rule.
    { ...at(step.stashName), isSpare: isOld, remove: removeFreeingLater },
  ];
  try {
    return companions.filter((companion) => !drop(companion)).map(({ name }) => name);
  } finally {
    stage.close();
  }
}

interface Companion {
  readonly name: string;
  readonly at: FsPath;
  /** Whether what is there may go. */
  readonly isSpare: () => boolean;
  readonly remove?: (at: FsPath) => void;
}

function drop({ at, isSpare, remove = removeIfThere }: Companion): boolean {
  if (!isThere(at)) return true;
  if (!isSpare()) return false;
  remove(at);
  return true;
}

function isAside(stage: PinnedFolder, step: JournalStep): boolean {
  return isOneFile(stage.entry(asideName(step)), stage.entry(step.stagedName));
}

/** A mark, a second name of what is in place, a torn beginning, or what the store holds as well. */
function isSpareNew(root: string, step: JournalStep, stage: PinnedFolder): boolean {
  if (step.how === 'chmod' || isDirectory(step.to)) return true;
  const staged = stage.entry(step.stagedName);
  const isInPlace = (parent: PinnedFolder, name: string): boolean =>
    isOneFile(parent.entry(name), staged);
  const inPlace = waitsBeside(step)
    ? isInPlace(stage, nameOf(step.path))
    : withParent(root, step, isInPlace);
  return inPlace || isUnfinished(staged) || sameState(stateIn(stage, step.stagedName), step.to);
}

function writtenMeanwhile(kept: readonly { step: JournalStep; names: string[] }[]): PlanNote[] {
  if (kept.length === 0) return [];
  const names = kept.flatMap((each) => each.names).join(', ');
  const message = `a process still writes to files that were replaced; what it wrote is in ${names}`;
  return [{ code: 'written-meanwhile', message, paths: kept.map(({ step }) => step.path) }];
}

function leftToTidy([failure]: readonly unknown[]): PlanNote[] {
  if (failure === undefined) return [];
  const message = `the next savepoint command removes files of ours that are left: ${reasonOf(failure)}`;
  return [{ code: 'left-to-tidy', message }];
}
