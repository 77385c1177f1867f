import { isThere, makeLink, removeIfThere } from '../fs/entries.ts';
import { isAsSeen, type Observation, observeEntry, type StateAndStat } from '../fs/observe.ts';
import {
  type FsPath,
  type PinnedFolder,
  pinFolder,
  pinParent,
  pinParentOrNull,
} from '../fs/pinned-folder.ts';
import { isSavepointError, SavepointError } from '../model/errors.ts';
import type { JournalStep } from '../model/journal.ts';
import { isOutside, nameOf, parentOf, type TrackedPath } from '../model/path.ts';
import { ABSENT, type State } from '../model/state.ts';

/** The folders of a step, pinned while it runs: that of the entry and that of its companions. */
export class StepPlace {
  readonly name: string;
  readonly parent: PinnedFolder;
  readonly #step: JournalStep;
  readonly #stage: PinnedFolder;

  constructor(step: JournalStep, parent: PinnedFolder, stage: PinnedFolder) {
    this.#step = step;
    this.name = nameOf(step.path);
    this.parent = parent;
    this.#stage = stage;
  }

  get entry(): FsPath {
    return this.parent.entry(this.name);
  }

  /** The new file, under a name of ours; it keeps that beside its real one until all is on record. */
  get staged(): FsPath {
    return this.#stage.entry(this.#step.stagedName);
  }

  /** The old file, kept under a name of ours until the operation is on record. */
  get stash(): FsPath {
    return this.#stage.entry(this.#step.stashName);
  }

  /** Where an entry goes that is taken back, until it is clear whether it was ours. */
  get aside(): FsPath {
    return this.#stage.entry(asideName(this.#step));
  }

  current(): State {
    return stateIn(this.parent, this.name);
  }

  /** As `current`, without reading the file if its stat is what was seen before. */
  currentSince(seen: StateAndStat | null): State {
    const isSame = seen !== null && isAsSeen(this.parent, this.name, seen);
    return isSame ? seen.state : this.current();
  }

  stashed(): State {
    return stateIn(this.#stage, this.#step.stashName);
  }

  waiting(): State {
    return stateIn(this.#stage, this.#step.stagedName);
  }

  waitingBytes(): Uint8Array | null {
    return look(this.#stage, this.#step.stagedName).blob?.bytes ?? null;
  }

  setAside(): State {
    return stateIn(this.#stage, asideName(this.#step));
  }

  /** Folders and modes have no second name that waits: a link beside them says that they are our doing. */
  mark(): void {
    removeIfThere(this.staged);
    try {
      makeLink(MARK, this.staged);
    } catch (error) {
      // Without it the step is not taken back, and that is said.
      if (!NO_SYMLINKS.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }

  get isMarked(): boolean {
    return isThere(this.staged);
  }
}

const MARK = 'made-by-savepoint';
// The errors of file systems that have no symbolic links.
const NO_SYMLINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'ENOSYS'];

export function asideName({ stagedName }: JournalStep): string {
  return stagedName.replace(/\.new$/, '.back');
}

/** Runs `work` with the step's folders pinned. Throws `plan-stale` when one of them is gone. */
export function withPlace<T>(root: string, step: JournalStep, work: (place: StepPlace) => T): T {
  let parent: PinnedFolder | null = null;
  let stage: PinnedFolder | null = null;
  try {
    parent = pinParent(root, step.path);
    stage = waitsBeside(step) ? parent : pinStage(root, step);
    if (parent === null || stage === null) throw folderGone(step);
    return work(new StepPlace(step, parent, stage));
  } catch (error) {
    throw named(error, step.path);
  } finally {
    if (stage !== parent) stage?.close();
    parent?.close();
  }
}

/** As `withPlace`, for what needs only the companions' folder. */
export function withStage<T>(root: string, step: JournalStep, work: (stage: PinnedFolder) => T): T {
  let stage: PinnedFolder | null = null;
  try {
    stage = pinStage(root, step);
    if (stage === null) throw folderGone(step);
    return work(stage);
  } catch (error) {
    throw named(error, step.path);
  } finally {
    stage?.close();
  }
}

/** As `withPlace`, for what needs only the path's own folder; null where that is gone or a link. */
export function withParent<T>(
  root: string,
  { path }: JournalStep,
  work: (parent: PinnedFolder, name: string) => T,
): T | null {
  let parent: PinnedFolder | null = null;
  try {
    parent = pinParentOrNull(root, path);
    return parent && work(parent, nameOf(path));
  } catch (error) {
    throw named(error, path);
  } finally {
    parent?.close();
  }
}

/** Whether the companions are in the path's own folder, as nearly always: one walk serves for both. */
export function waitsBeside({ path, stageFolder }: JournalStep): boolean {
  return stageFolder === parentOf(path);
}

function pinStage(root: string, { path, stageFolder }: JournalStep): PinnedFolder | null {
  return pinFolder(root, stageFolder, isOutside(path));
}

/** Whether the folder of the step's path is there. Throws `symlinked-parent` where it is a link. */
export function hasFolder(root: string, { path }: JournalStep): boolean {
  const parent = namingPath(path, () => pinParent(root, path));
  parent?.close();
  return parent !== null;
}

/** What is at the step's path now; nothing, where even its folder is gone or has become a link. */
export function currentState(root: string, step: JournalStep): State {
  return withParent(root, step, stateIn) ?? ABSENT;
}

export function stateIn(folder: PinnedFolder, name: string): State {
  return look(folder, name).state;
}

/** Of any size: a restore has to recognise what it moves about. */
function look(folder: PinnedFolder, name: string): Observation {
  return observeEntry(folder, name, { maxFileSize: Number.MAX_SAFE_INTEGER });
}

function folderGone({ path }: JournalStep): SavepointError {
  const message = 'a folder was removed while files were restored';
  return new SavepointError('plan-stale', message, { path });
}

/** Runs `work`, whose errors shall name the path: Node knows only the descriptor we went through. */
export function namingPath<T>(path: TrackedPath, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw named(error, path);
  }
}

function named(error: unknown, path: TrackedPath): unknown {
  if (error instanceof Error) {
    error.message = error.message.replace(/'\/proc\/self\/fd\/.*'$/s, `'${path}'`);
  }
  return error;
}

/** A folder that somebody filled, removed or replaced since is theirs. */
export function isTheirs(error: unknown): boolean {
  const gone = isSavepointError(error, 'plan-stale') || isSavepointError(error, 'symlinked-parent');
  return gone || hasCode(error, ['ENOTEMPTY', 'ENOTDIR', 'EEXIST']);
}

/** The file system refuses it, now and in a minute: only the owner of the path can help. */
export function isRefused(error: unknown): boolean {
  return hasCode(error, ['EACCES', 'EPERM', 'EROFS', 'EBUSY', 'EXDEV']);
}

export function hasNoRoom(error: unknown): boolean {
  return hasCode(error, ['ENOSPC', 'EDQUOT']);
}

function hasCode(error: unknown, codes: readonly string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException).code ?? '');
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
