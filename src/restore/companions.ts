import type { CaptureSite } from '../capture/capture.ts';
import { removeFreeingLater } from '../fs/free-later.ts';
import { type FsPath, type PinnedFolder, pinFolderOrNull } from '../fs/pinned-folder.ts';
import { isOneFile, isThere, isUnfinished, removeIfThere } from '../fs/write-file.ts';
import type { Journal, JournalStep, UntidyStep } from '../model/journal.ts';
import { isOutside, nameOf, type TrackedPath } from '../model/path.ts';
import type { PlanNote } from '../model/plan.ts';
import { isDirectory, type State, sameState } from '../model/state.ts';
import { isMovable } from './aside.ts';
import { about, reasonOf } from './step-errors.ts';
import {
  asideName,
  currentState,
  stateIn,
  waitsBeside,
  withParent,
  withStage,
} from './step-place.ts';

/** Whether the kept predecessor is still what the plan expected; if not, somebody wrote to it. */
export function stashIsIntact(root: string, step: JournalStep): boolean {
  if (step.how === 'chmod' || !isMovable(step.from)) return true;
  return withStage(root, step, (stage) => {
    const kept = stateIn(stage, step.stashName);
    return kept.kind === 'absent' || sameState(kept, step.from);
  });
}

/** Whether the old file is kept beside its place; not where even the folder for it is gone. */
export function hasStash(root: string, { path, stageFolder, stashName }: JournalStep): boolean {
  const stage = pinFolderOrNull(root, stageFolder, isOutside(path));
  if (stage === null) return false;
  try {
    return isThere(stage.entry(stashName));
  } finally {
    stage.close();
  }
}

/** What the tidying up after a restore came to. */
export interface Tidied {
  /** What a person should know of what is left. */
  readonly notes: readonly PlanNote[];
  /** Steps with companions that could not be removed, so that somebody must try again. */
  readonly untidy: readonly UntidyStep[];
}

/** All steps whose companions have to go once a journal is done. */
export function stepsToTidy({ steps, changes, untidy = [] }: Journal): UntidyStep[] {
  const onRecord = new Set(changes.map(({ path }) => path));
  return [...untidy, ...steps.map((step) => ({ step, isOnRecord: onRecord.has(step.path) }))];
}

/** Removes the companions of all steps, as far as they hold nothing that is nowhere else. */
export function dropAllCompanions(site: CaptureSite, journal: Journal): Tidied {
  const kept: KeptCompanion[] = [];
  const untidy: UntidyStep[] = [];
  const failures: unknown[] = [];
  for (const one of stepsToTidy(journal)) {
    try {
      kept.push(...about(one.step.path, () => dropCompanions(site.root, one)));
    } catch (error) {
      untidy.push(one);
      failures.push(error);
    }
  }
  const notes = [...WHY_KEPT.flatMap((why) => keptNote(kept, why)), ...leftToTidy(failures)];
  return { notes, untidy };
}

/** Where even their folder is gone, so are they. Returns those that have to stay. */
export function dropCompanions(root: string, { step, isOnRecord }: UntidyStep): KeptCompanion[] {
  const stage = pinFolderOrNull(root, step.stageFolder, isOutside(step.path));
  if (stage === null) return [];
  const at = (name: string): Pick<Companion, 'name' | 'at'> => ({ name, at: stage.entry(name) });
  const isOld = (): boolean => sameState(readableState(stage, step.stashName), step.from);
  // A step that is not on record may have failed half way: then the stash is the only copy on the disk.
  const isNeeded = (): boolean => !isOnRecord && currentState(root, step).kind === 'absent';
  const companions: Companion[] = [
    { ...at(asideName(step)), mustStay: () => (isAside(stage, step) ? null : 'written') },
    { ...at(step.stagedName), mustStay: () => (isSpareNew(step, stage) ? null : 'written') },
    {
      ...at(step.stashName),
      mustStay: () => (isNeeded() ? 'needed' : isOld() ? null : 'written'),
      // The only name of a file, as a rule.
      remove: removeFreeingLater,
    },
  ];
  // What is in place under its real name loses nothing but a name of ours.
  const isInPlace = (at: FsPath): boolean => hasEntry(root, step, stage, at);
  try {
    return companions.flatMap((companion) => {
      const why = drop(companion, isInPlace);
      return why === null ? [] : [{ path: step.path, name: companion.name, why }];
    });
  } finally {
    stage.close();
  }
}

interface KeptCompanion {
  readonly path: TrackedPath;
  readonly name: string;
  readonly why: WhyKept;
}

type WhyKept = (typeof WHY_KEPT)[number];
const WHY_KEPT = ['written', 'needed'] as const;

interface Companion {
  readonly name: string;
  readonly at: FsPath;
  /** Why what is there may not go; null if it may. */
  readonly mustStay: () => WhyKept | null;
  readonly remove?: (at: FsPath) => void;
}

function drop(
  { at, mustStay, remove = removeIfThere }: Companion,
  isInPlace: (at: FsPath) => boolean,
): WhyKept | null {
  if (!isThere(at)) return null;
  const why = isInPlace(at) ? null : mustStay();
  if (why === null) remove(at);
  return why;
}

/** Whether a companion is a second name of what stands at the path. */
function hasEntry(root: string, step: JournalStep, stage: PinnedFolder, at: FsPath): boolean {
  const isEntry = (parent: PinnedFolder, name: string): boolean =>
    isOneFile(parent.entry(name), at);
  return waitsBeside(step)
    ? isEntry(stage, nameOf(step.path))
    : (withParent(root, step, isEntry) ?? false);
}

function isAside(stage: PinnedFolder, step: JournalStep): boolean {
  return isOneFile(stage.entry(asideName(step)), stage.entry(step.stagedName));
}

/** A mark, a torn beginning, or what the store holds as well. */
function isSpareNew(step: JournalStep, stage: PinnedFolder): boolean {
  if (step.how === 'chmod' || isDirectory(step.to)) return true;
  const staged = stage.entry(step.stagedName);
  return isUnfinished(staged) || sameState(readableState(stage, step.stagedName), step.to);
}

/** Nothing can be said of a companion that cannot be read: it stays until it can be. */
function readableState(stage: PinnedFolder, name: string): State {
  const state = stateIn(stage, name);
  if (state.kind === 'unknown') throw new Error(`${name} cannot be read`);
  return state;
}

function keptNote(all: readonly KeptCompanion[], why: WhyKept): PlanNote[] {
  const kept = all.filter((one) => one.why === why);
  if (kept.length === 0) return [];
  const names = kept.map(({ name }) => name).join(', ');
  const paths = [...new Set(kept.map(({ path }) => path))];
  if (why === 'needed') {
    const message = `a file that stood there could not be put back, and is kept as ${names}`;
    return [{ code: 'kept-aside', message, paths }];
  }
  const message = `a process still writes to files that were replaced; what it wrote is in ${names}`;
  return [{ code: 'written-meanwhile', message, paths }];
}

function leftToTidy([failure]: readonly unknown[]): PlanNote[] {
  if (failure === undefined) return [];
  const message = `the next savepoint command removes files of ours that are left: ${reasonOf(failure)}`;
  return [{ code: 'left-to-tidy', message }];
}
