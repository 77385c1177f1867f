import { observeEntry } from '../capture/observe.ts';
import {
  type FsPath,
  type PinnedFolder,
  pinFolder,
  pinParent,
  pinParentOrNull,
} from '../capture/pinned-folder.ts';
import { SavepointError } from '../model/errors.ts';
import type { JournalStep } from '../model/journal.ts';
import { isOutside, nameOf } from '../model/path.ts';
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

  /** The new file, waiting under a name of ours. */
  get staged(): FsPath {
    return this.#stage.entry(this.#step.stagedName);
  }

  /** The old file, kept under a name of ours until the operation is on record. */
  get stash(): FsPath {
    return this.#stage.entry(this.#step.stashName);
  }

  current(): State {
    return stateIn(this.parent, this.name);
  }

  stashed(): State {
    return stateIn(this.#stage, this.#step.stashName);
  }

  waiting(): State {
    return stateIn(this.#stage, this.#step.stagedName);
  }
}

/** Runs `work` with the step's folders pinned. Throws `plan-stale` when one of them is gone. */
export function withPlace<T>(root: string, step: JournalStep, work: (place: StepPlace) => T): T {
  return withFolder(pinParent(root, step.path), step, (parent) =>
    withStage(root, step, (stage) => work(new StepPlace(step, parent, stage))),
  );
}

/** As `withPlace`, for what needs only the companions' folder. */
export function withStage<T>(root: string, step: JournalStep, work: (stage: PinnedFolder) => T): T {
  return withFolder(pinFolder(root, step.stageFolder, isOutside(step.path)), step, work);
}

/** Whether the folder of the step's path is there. */
export function hasFolder(root: string, step: JournalStep): boolean {
  const parent = pinParent(root, step.path);
  parent?.close();
  return parent !== null;
}

/** What is at the step's path now; nothing, where even its folder is gone or has become a link. */
export function currentState(root: string, step: JournalStep): State {
  const parent = pinParentOrNull(root, step.path);
  if (parent === null) return ABSENT;
  try {
    return stateIn(parent, nameOf(step.path));
  } finally {
    parent.close();
  }
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

/** Whatever its size: what a restore moves about, it has to recognise. */
export function stateIn(folder: PinnedFolder, name: string): State {
  return observeEntry(folder, name, { maxFileSize: Number.MAX_SAFE_INTEGER }).state;
}
