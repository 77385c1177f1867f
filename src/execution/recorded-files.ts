import { type CaptureSite, look, openChanges } from '../capture/capture.ts';
import { type Author, appendChange, outsider } from '../capture/chain.ts';
import { resolveNamed } from '../capture/named-path.ts';
import { makeFolder, permissionsOf, removeIfThere } from '../fs/entries.ts';
import { type FsPath, type PinnedFolder, pinParent, pinParentOrNull } from '../fs/pinned-folder.ts';
import { syncPath, writeFile } from '../fs/write-file.ts';
import type { Change } from '../model/change.ts';
import { SavepointError } from '../model/errors.ts';
import type { Execution, StepAttempt } from '../model/execution.ts';
import { isOutside, nameOf, type TrackedPath } from '../model/path.ts';
import { ABSENT, joins, permissions, type State, unknown } from '../model/state.ts';
import { blobOf } from '../store/blob.ts';
import { Draft } from '../store/draft.ts';
import { currentSeq } from '../store/find.ts';
import type { Blob } from '../store/store.ts';
import type { ExecutionSite } from './execution-site.ts';
import type { HeldExecution } from './lease.ts';

const FILE_MODE = 0o644;
const FOLDER_MODE = 0o755;
const FOLDER: State = {
  kind: 'captured',
  type: 'directory',
  mode: FOLDER_MODE,
  blob: null,
  size: 0,
};

/**
 * The files that a step writes. Each is on record, with its new content, before it is written. So a kill at
 * any moment leaves no file of unknown origin, and a rollback keeps lines that others added meanwhile.
 */
export class RecordedFiles {
  readonly #site: ExecutionSite;
  readonly #held: () => HeldExecution;
  readonly #step: StepAttempt;

  /** `held` throws once the step is over. */
  constructor(site: ExecutionSite, held: () => HeldExecution, step: StepAttempt) {
    this.#site = site;
    this.#held = held;
    this.#step = step;
  }

  /** Puts a file in place of what is there, wholly and durably, with the folders above it. */
  async write(
    path: string,
    content: string | Uint8Array,
    { mode }: { readonly mode?: number } = {},
  ): Promise<void> {
    const bytes = typeof content === 'string' ? Buffer.from(content) : Uint8Array.from(content);
    const blob = blobOf(bytes);
    await this.#recorded(path, {
      after: (before, at) => this.#fileAfter(before, blob, { at, mode }),
      blob,
      carryOut: ({ folder, name, after }, check) =>
        writeFile(folder.entry(name), bytes, {
          mode: mode ?? modeOf(after, folder.entry(name)),
          waiting: folder.entry(freshName(this.#step)),
          beforeNaming: check,
        }),
    });
  }

  /** Removes a file; that there is none is fine. */
  async remove(path: string): Promise<void> {
    await this.#recorded(path, {
      after: () => ABSENT,
      carryOut: ({ folder, name }, check) => {
        check();
        removeIfThere(folder.entry(name));
        syncPath(folder.self());
      },
    });
  }

  async #recorded(named: string, { after, blob, carryOut }: Writing): Promise<void> {
    const { store, files } = this.#site;
    await this.#site.locked(async () => {
      const path = onlyPath(files.root, named);
      const draft = new Draft(await currentSeq(store));
      const now = this.#site.now();
      const author = authorOfStep(this.#held().execution, this.#step, now);
      const capturing = { author, finds: this.#site.finds(now) };
      const opened = await openChanges(draft, files, [path], capturing);
      const own = opened.find((change) => change.path === path);
      if (own === undefined) return;
      refuseOthers(own);
      const place = { path, before: own.before, after: after(own.before, path) };
      const isWritten = place.after.kind !== 'absent';
      const folders = isWritten ? opened.filter((change) => change !== own) : [];
      for (const change of opened) {
        const above = folders.includes(change) ? FOLDER : change.before;
        draft.closed.push({ seq: change.seq, after: change === own ? place.after : above });
      }
      if (blob !== undefined && place.after.kind === 'captured') draft.addBlob(blob);
      draft.fence = this.#held().fence;
      await store.timeline.commit(draft.batch());
      try {
        for (const folder of folders) makeStepFolder(files.root, folder.path);
        if (!isWritten && own.before.kind === 'absent') return;
        within(files.root, path, (folder, name) =>
          carryOut({ ...place, folder, name }, () => refuseChanged(files, place)),
        );
      } catch (error) {
        await this.#setRight(place, author);
        throw error;
      }
    });
  }

  /** The change on record did not happen: it is taken back there too, or it would seem to be somebody else's. */
  async #setRight({ path, before, after }: Place, author: Author): Promise<void> {
    const { store, files } = this.#site;
    if (joins(after, look(files, path).state)) return;
    const draft = new Draft(await currentSeq(store));
    appendChange(draft, path, after, before, author);
    draft.fence = this.#held().fence;
    await store.timeline.commit(draft.batch());
  }

  /** The state that a look at the file will find. Of an excluded file it says next to nothing. */
  #fileAfter(
    before: State,
    { id, bytes }: Blob,
    { at, mode }: { readonly at: TrackedPath; readonly mode: number | undefined },
  ): State {
    const { files } = this.#site;
    if (files.excluded(at, false)) return unknown('excluded');
    if (bytes.length > files.maxFileSize) return unknown('too-large');
    const old = before.kind === 'captured' ? permissions(before) : FILE_MODE;
    return { kind: 'captured', type: 'file', mode: mode ?? old, blob: id, size: bytes.length };
  }
}

interface Place {
  readonly path: TrackedPath;
  readonly before: State;
  readonly after: State;
}

interface Writing {
  readonly after: (before: State, path: TrackedPath) => State;
  readonly blob?: Blob;
  /** Calls `check` at the last moment at which nothing is lost yet. */
  readonly carryOut: (
    place: Place & { readonly folder: PinnedFolder; readonly name: string },
    check: () => void,
  ) => void;
}

/** The author of what a tool of a step does. The tool is never busy by itself: the step is. */
export function authorOfStep(
  { sessionId }: Execution,
  { checkpointId }: StepAttempt,
  now: number,
): Author {
  return { ...outsider(now), origin: 'tool', sessionId, checkpointId };
}

/** A file that is not on record, because it is secret or large, keeps the mode that it has. */
function modeOf(state: State, file: FsPath): number {
  if (state.kind === 'captured') return permissions(state);
  return permissionsOf(file) ?? FILE_MODE;
}

function onlyPath(root: string, named: string): TrackedPath {
  const [path, behind] = resolveNamed(root, named);
  if (path === undefined || isOutside(path)) {
    throw new SavepointError('path-escapes-root', 'a step writes below the project', {
      path: named,
    });
  }
  if (behind === undefined) return path;
  throw new SavepointError('argument-invalid', 'a step does not write through a link', { path });
}

function refuseOthers({ path, before }: Change): void {
  if (before.kind === 'unknown' && before.reason === 'protected') {
    throw new SavepointError('path-protected', 'a step may not write a protected file', { path });
  }
  if (before.kind !== 'captured' || before.type === 'file') return;
  const message = `a step writes only files, and there is a ${before.type}`;
  throw new SavepointError('argument-invalid', message, { path });
}

function within(
  root: string,
  path: TrackedPath,
  work: (folder: PinnedFolder, name: string) => void,
): void {
  const folder = pinParent(root, path);
  if (folder === null) throw new SavepointError('file-missing', 'its folder is gone', { path });
  try {
    work(folder, nameOf(path));
  } finally {
    folder.close();
  }
}

function makeStepFolder(root: string, path: TrackedPath): void {
  within(root, path, (folder, name) => {
    makeFolder(folder.entry(name), FOLDER_MODE);
    // The file mode mask may have taken some of it.
    folder.chmod(name, FOLDER_MODE);
    syncPath(folder.self());
  });
}

/**
 * The name of the file that is being written; a step writes one at a time. It is named like the companions of
 * a restore, so no scan takes it for a file of the project.
 */
function freshName({ checkpointId }: StepAttempt): string {
  return `.savepoint-${checkpointId}.new`;
}

/** Removes the unfinished files that a killed step left beside the files that it was writing. */
export function removeFresh(root: string, step: StepAttempt, paths: Iterable<TrackedPath>): void {
  for (const path of paths) {
    const folder = pinParentOrNull(root, path);
    if (folder === null) continue;
    try {
      removeIfThere(folder.entry(freshName(step)));
    } finally {
      folder.close();
    }
  }
}

/** Somebody may have written the file while the record was made: their content is not on record, and stays. */
function refuseChanged(files: CaptureSite, { path, before }: Place): void {
  if (joins(before, look(files, path).state)) return;
  throw new SavepointError('plan-stale', 'somebody else wrote the file at the same moment', {
    path,
    hint: 'read it, and write it again',
  });
}
