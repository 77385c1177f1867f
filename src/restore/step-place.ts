import { symlinkSync } from 'node:fs';
import { isAsSeen, type Observation, observeEntry, type Sight } from '../fs/observe.ts';
import {
  type FsPath,
  type PinnedFolder,
  pinFolder,
  pinParent,
  pinParentOrNull,
} from '../fs/pinned-folder.ts';
import { isThere, removeIfThere } from '../fs/write-file.ts';
import { SavepointError } from '../model/errors.ts';
import type { JournalStep } from '../model/journal.ts';
import { isOutside, nameOf, parentOf } from '../model/path.ts';
import { ABSENT, type State } from '../model/state.ts';
import { about } from './step-errors.ts';

/** `foreign`: what is there is neither what was left nor what we brought; nothing was done. */
export type StepOutcome = 'done' | 'foreign';

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

  /** Where an entry goes that is taken back, until it is clear whose it was. */
  get aside(): FsPath {
    return this.#stage.entry(asideName(this.#step));
  }

  current(): State {
    return stateIn(this.parent, this.name);
  }

  /** As `current`, without reading what its stat says to be what was seen before. */
  currentSince(seen: Sight | null): State {
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

  /** Where nothing waits to get its name, a link says that the step is our doing. */
  mark(): void {
    removeIfThere(this.staged);
    try {
      symlinkSync(MARK, this.staged);
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
// What file systems say that know no symbolic links.
const NO_SYMLINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'ENOSYS'];

export function asideName({ stagedName }: JournalStep): string {
  return stagedName.replace(/\.new$/, '.back');
}

/** Runs `work` with the step's folders pinned. Throws `plan-stale` when one of them is gone. */
export function withPlace<T>(root: string, step: JournalStep, work: (place: StepPlace) => T): T {
  return about(step.path, () =>
    withFolder(pinParent(root, step.path), step, (parent) =>
      waitsBeside(step)
        ? work(new StepPlace(step, parent, parent))
        : withStage(root, step, (stage) => work(new StepPlace(step, parent, stage))),
    ),
  );
}

/** Whether the companions are in the path's own folder, as nearly always: one walk serves for both. */
export function waitsBeside({ path, stageFolder }: JournalStep): boolean {
  return stageFolder === parentOf(path);
}

/** As `withPlace`, for what needs only the companions' folder. */
export function withStage<T>(root: string, step: JournalStep, work: (stage: PinnedFolder) => T): T {
  return about(step.path, () =>
    withFolder(pinFolder(root, step.stageFolder, isOutside(step.path)), step, work),
  );
}

/** As `withPlace`, for what needs only the path's own folder; null where that is gone or a link. */
export function withParent<T>(
  root: string,
  step: JournalStep,
  work: (parent: PinnedFolder, name: string) => T,
): T | null {
  return about(step.path, () => {
    const parent = pinParentOrNull(root, step.path);
    return parent && withFolder(parent, step, () => work(parent, nameOf(step.path)));
  });
}

/** Whether the folder of the step's path is there. */
export function hasFolder(root: string, step: JournalStep): boolean {
  const parent = about(step.path, () => pinParent(root, step.path));
  parent?.close();
  return parent !== null;
}

/** What is at the step's path now; nothing, where even its folder is gone or has become a link. */
export function currentState(root: string, step: JournalStep): State {
  return withParent(root, step, stateIn) ?? ABSENT;
}

function withFolder<T>(
  folder: PinnedFolder | null,
  step: JournalStep,
  work: (folder: PinnedFolder) => T,
): T {
  if (folder === null) {
    throw new SavepointError('plan-stale', 'a folder was removed while files were restored', {
      path: step.path,
    });
  }
  try {
    return work(folder);
  } finally {
    folder.close();
  }
}

export function stateIn(folder: PinnedFolder, name: string): State {
  return look(folder, name).state;
}

/** Whatever its size: what a restore moves about, it has to recognise. */
function look(folder: PinnedFolder, name: string): Observation {
  return observeEntry(folder, name, { maxFileSize: Number.MAX_SAFE_INTEGER });
}
