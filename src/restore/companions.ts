import type { CaptureSite } from '../capture/capture.ts';
import { isOneFile, isThere, removeFreeingLater, removeIfThere } from '../fs/entries.ts';
import { type FsPath, type PinnedFolder, pinFolderOrNull } from '../fs/pinned-folder.ts';
import { isTorn } from '../fs/write-file.ts';
import { SavepointError } from '../model/errors.ts';
import type { Journal, JournalStep, UntidyStep } from '../model/journal.ts';
import { isOutside, nameOf, type TrackedPath } from '../model/path.ts';
import type { PlanNote } from '../model/plan.ts';
import { isDirectory, type State, sameState } from '../model/state.ts';
import { isMovable } from './step.ts';
import {
  asideName,
  currentState,
  namingPath,
  reasonOf,
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

/** The outcome of removing companions. */
export interface Tidied {
  /** About companions that are left, for a person. */
  readonly notes: readonly PlanNote[];
  /** Steps with companions that could not be removed, so that somebody must try again. */
  readonly untidy: readonly UntidyStep[];
}

/** All steps whose companions have to go once a journal is done. */
export function stepsToTidy({ steps, changes, untidy = [] }: Journal): UntidyStep[] {
  const onRecord = new Set(changes.map(({ path }) => path));
  return [...untidy, ...steps.map((step) => ({ step, isOnRecord: onRecord.has(step.path) }))];
}

/** Removes the companions of all steps, except those that are the only copy of their content. */
export function dropAllCompanions(site: CaptureSite, journal: Journal): Tidied {
  const kept: KeptCompanion[] = [];
  const untidy: UntidyStep[] = [];
  const failures: unknown[] = [];
  for (const one of stepsToTidy(journal)) {
    try {
      kept.push(...namingPath(one.step.path, () => dropCompanions(site.root, one)));
    } catch (error) {
      untidy.push(one);
      failures.push(error);
    }
  }
  const notes = [
    ...keptNote(kept, 'written'),
    ...keptNote(kept, 'needed'),
    ...leftToTidy(failures),
  ];
  return { notes, untidy };
}

/** Where even their folder is gone, so are they. Returns those that have to stay. */
export function dropCompanions(root: string, { step, isOnRecord }: UntidyStep): KeptCompanion[] {
  const stage = pinFolderOrNull(root, step.stageFolder, isOutside(step.path));
  if (stage === null) return [];
  const companions: Companion[] = [
    { name: asideName(step), whyKept: () => (isAside(stage, step) ? null : 'written') },
    { name: step.stagedName, whyKept: () => (isSpareNew(step, stage) ? null : 'written') },
    {
      name: step.stashName,
      whyKept: () => {
        // A step that is not on record may have failed half way: then the stash is the only copy on disk.
        if (!isOnRecord && currentState(root, step).kind === 'absent') return 'needed';
        return sameState(readableState(stage, step.stashName), step.from) ? null : 'written';
      },
      // The only name of a file, as a rule.
      remove: removeFreeingLater,
    },
  ];
  try {
    return companions.flatMap(({ name, whyKept, remove = removeIfThere }) => {
      const at = stage.entry(name);
      if (!isThere(at)) return [];
      // A file that also has its real name loses only a name of ours.
      const why = hasEntry(root, step, stage, at) ? null : whyKept();
      if (why === null) remove(at);
      return why === null ? [] : [{ path: step.path, name, why }];
    });
  } finally {
    stage.close();
  }
}

/** `written`: somebody wrote to it. `needed`: it is the only copy of a file. */
type WhyKept = 'written' | 'needed';

interface KeptCompanion {
  readonly path: TrackedPath;
  readonly name: string;
  readonly why: WhyKept;
}

interface Companion {
  readonly name: string;
  /** Null if it may go. */
  readonly whyKept: () => WhyKept | null;
  readonly remove?: (at: FsPath) => void;
}

/** Whether a companion is a second name of the entry at the path. */
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

/** Whether a staged file can go: it is a mark, a torn beginning, or the store holds its content too. */
function isSpareNew(step: JournalStep, stage: PinnedFolder): boolean {
  if (step.how === 'chmod' || isDirectory(step.to)) return true;
  const staged = stage.entry(step.stagedName);
  return isTorn(staged) || sameState(readableState(stage, step.stagedName), step.to);
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

/**
 * The error for a restore that stays as it is for now; the journal knows how it goes on. Its hint promises
 * only what a look at the files has just found.
 */
export function unfinished(root: string, journal: Journal, cause: unknown): SavepointError {
  const why = cause instanceof AggregateError ? cause.errors.map(reasonOf) : [reasonOf(cause)];
  return new SavepointError('restore-unfinished', `a restore stopped half way: ${why.join('; ')}`, {
    path: root,
    hint: `${whereFilesAre(root, journal)}; the next savepoint command finishes it or takes it back`,
    cause,
  });
}

/** The error for a restore that is over, but has companions that could not be removed. */
export function untidied(root: string, cause: unknown): SavepointError {
  const message = `the restore is over, but its own files could not be removed: ${reasonOf(cause)}`;
  const hint = 'the next savepoint command tries again';
  return new SavepointError('restore-unfinished', message, { path: root, hint, cause });
}

// More would bury the rest of the message.
const MOST_NAMED = 3;

function whereFilesAre(root: string, journal: Journal): string {
  const { steps, alongside = [], safetyCheckpointId } = journal;
  try {
    const away = [
      ...alongside.filter((guard) => !isBack(root, guard)).map(({ path }) => `${path} is changed`),
      ...steps
        .filter((step) => isAway(root, step))
        .map((step) => `${step.path} ${keptAs(root, step)}`),
    ];
    if (away.length === 0) return 'your files are safe: each is in its place';
    const rest = away.length - MOST_NAMED;
    const more = rest > 0 ? `, and ${rest} more` : '';
    const named = away.slice(0, MOST_NAMED).join(', ');
    return `not in their place: ${named}${more}; checkpoint ${safetyCheckpointId} holds what was there`;
  } catch (error) {
    return `your files could not be looked at (${reasonOf(error)}); mend the disk first`;
  }
}

/** Whether another program's doing at the path is undone. */
function isBack(root: string, guard: JournalStep): boolean {
  return sameState(currentState(root, guard), guard.to);
}

/** Whether nothing is at the path although a file or link stood there and the step does not delete it. */
function isAway(root: string, step: JournalStep): boolean {
  if (!isMovable(step.from)) return false;
  const current = currentState(root, step);
  if (current.kind === 'unknown') throw new Error(`${step.path} cannot be read`);
  return current.kind === 'absent' && !sameState(step.to, current);
}

function keptAs(root: string, step: JournalStep): string {
  const { stageFolder, stashName } = step;
  const name = stageFolder === null ? stashName : `${stageFolder}/${stashName}`;
  return hasStash(root, step) && stashIsIntact(root, step) ? `is kept as ${name}` : 'is gone';
}
