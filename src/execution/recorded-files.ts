import { chmodSync, lstatSync, mkdirSync, type PathLike, unlinkSync } from 'node:fs';
import { type CaptureSite, look, openChanges } from '../capture/capture.ts';
import { type Author, appendChange, outsider } from '../capture/chain.ts';
import { resolveNamed } from '../capture/named-path.ts';
import { type PinnedFolder, pinParent, pinParentOrNull } from '../fs/pinned-folder.ts';
import { removeIfThere, syncPath, writeFile } from '../fs/write-file.ts';
import type { Change } from '../model/change.ts';
import { SavepointError } from '../model/errors.ts';
import type { Execution, StepAttempt } from '../model/execution.ts';
import { isOutside, nameOf, type TrackedPath } from '../model/path.ts';
import { ABSENT, joins, type State, unknown } from '../model/state.ts';
import { blobOf } from '../store/blob.ts';
import { Draft } from '../store/draft.ts';
import type { Blob } from '../store/store.ts';
import type { ExecutionSite } from './execution-site.ts';
import { fenceOf } from './lease.ts';

const FILE_MODE = 0o644;
const FOLDER_MODE = 0o755;
const PERMISSIONS = 0o7777;

/**
 * Files that a step writes through here are on record before they are written, with what they will be: a
 * kill at any moment leaves nothing of which nobody can tell whose it is, and somebody else's lines that
 * come on top of a half done step stay when it is rolled back.
 */
export class RecordedFiles {
  readonly #site: ExecutionSite;
  readonly #execution: () => Execution;
  readonly #step: StepAttempt;

  constructor(site: ExecutionSite, execution: () => Execution, step: StepAttempt) {
    this.#site = site;
    this.#execution = execution;
    this.#step = step;
  }

  /** Puts a file in place of what is there, wholly and durably, with the folders above it. */
  async write(
    path: string,
    content: string | Uint8Array,
    options: { readonly mode?: number } = {},
  ): Promise<void> {
    const bytes = typeof content === 'string' ? Buffer.from(content) : Uint8Array.from(content);
    const blob = blobOf(bytes);
    await this.#recorded(
      path,
      (before, at) => fileAfter(before, blob, this.#site, { at, mode: options.mode }),
      (place) => {
        for (const folder of place.folders) makeFolder(this.#site.files.root, folder);
        const fresh = freshName(this.#step);
        replaceFile(this.#site.files, place, { bytes, fresh, mode: options.mode });
      },
      blob,
    );
  }

  /** Removes a file; that there is none is fine. */
  async remove(path: string): Promise<void> {
    await this.#recorded(
      path,
      () => ABSENT,
      (place) => {
        if (place.before.kind !== 'absent') removeFile(this.#site.files, place);
      },
    );
  }

  async #recorded(
    named: string,
    after: (before: State, path: TrackedPath) => State,
    carryOut: (place: Place) => void,
    blob?: Blob,
  ): Promise<void> {
    const { store, files } = this.#site;
    await this.#site.locked(async () => {
      const path = onlyPath(files.root, named);
      const draft = new Draft(await store.seq());
      const now = this.#site.now();
      const capturing = {
        author: authorOfStep(this.#execution(), this.#step, now),
        finds: this.#site.finds(now),
      };
      const opened = await openChanges(draft, files, [path], capturing);
      const own = opened.find((change) => change.path === path);
      if (own === undefined) return;
      refuseOthers(own);
      const target = after(own.before, path);
      const folders = opened.filter((change) => change !== own).map((change) => change.path);
      const needed = target.kind === 'absent' ? [] : folders;
      for (const change of opened)
        draft.closed.push({ seq: change.seq, after: afterOf(change, own, target, needed) });
      if (blob !== undefined && target.kind === 'captured') draft.addBlob(blob);
      draft.fence = fenceOf(this.#execution());
      await store.commit(draft.batch());
      const place = { path, before: own.before, after: target, folders: needed };
      try {
        carryOut(place);
      } catch (error) {
        await this.#setRight(place, capturing.author);
        throw error;
      }
    });
  }

  /** What is on record did not happen: it goes back there too, and is not taken for another's doing. */
  async #setRight({ path, before, after }: Place, author: Author): Promise<void> {
    const { store, files } = this.#site;
    if (joins(after, look(files, path).state)) return;
    const draft = new Draft(await store.seq());
    appendChange(draft, path, after, before, author);
    draft.fence = fenceOf(this.#execution());
    await store.commit(draft.batch());
  }
}

interface Place {
  readonly path: TrackedPath;
  readonly before: State;
  readonly after: State;
  /** Those above it that have to be made, outermost first. */
  readonly folders: readonly TrackedPath[];
}

/** What a tool of a step does. It is never busy by itself: the step is. */
export function authorOfStep(
  { sessionId }: Execution,
  { checkpointId }: StepAttempt,
  now: number,
): Author {
  return { ...outsider(now), origin: 'tool', sessionId, checkpointId };
}

function afterOf(
  change: Change,
  own: Change,
  target: State,
  needed: readonly TrackedPath[],
): State {
  if (change === own) return target;
  if (!needed.includes(change.path)) return change.before;
  return { kind: 'captured', type: 'directory', mode: FOLDER_MODE, blob: null, size: 0 };
}

/** What a look at it will find; of what may be secret that is next to nothing. */
function fileAfter(
  before: State,
  blob: Blob,
  { files }: ExecutionSite,
  { at, mode }: { readonly at: TrackedPath; readonly mode: number | undefined },
): State {
  if (files.excluded(at, false)) return unknown('excluded');
  if (blob.bytes.length > files.maxFileSize) return unknown('too-large');
  const old = before.kind === 'captured' ? before.mode : FILE_MODE;
  const { id, bytes } = blob;
  return { kind: 'captured', type: 'file', mode: mode ?? old, blob: id, size: bytes.length };
}

/** A file that is not on record, because it is secret or large, keeps the mode that it has. */
function modeOf(state: State, file: PathLike): number {
  if (state.kind === 'captured') return state.mode;
  return (lstatSync(file, { throwIfNoEntry: false })?.mode ?? FILE_MODE) & PERMISSIONS;
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
  const isFile = before.kind !== 'captured' || before.type === 'file';
  if (isFile && !(before.kind === 'unknown' && before.reason === 'protected')) return;
  const code = before.kind === 'unknown' ? 'path-protected' : 'argument-invalid';
  throw new SavepointError(code, 'what is there is no file that a step may write', { path });
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

function makeFolder(root: string, path: TrackedPath): void {
  within(root, path, (folder, name) => {
    mkdirSync(folder.entry(name), { mode: FOLDER_MODE });
    chmodSync(folder.entry(name), FOLDER_MODE);
    syncPath(folder.self());
  });
}

/**
 * The name of a file that is being written, of which there is one at a time. Named like the companions of a
 * restore: no scan takes it for a file of the project.
 */
function freshName({ checkpointId }: StepAttempt): string {
  return `.savepoint-${checkpointId}.new`;
}

/** Takes away what a step that was killed while it wrote one of these has left beside it. */
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

/** Somebody may have written it while the record was being made; that must not be lost without one. */
function refuseChanged(files: CaptureSite, { path, before }: Place): void {
  if (joins(before, look(files, path).state)) return;
  throw new SavepointError('plan-stale', 'somebody else wrote the file at the same moment', {
    path,
    hint: 'read it, and write it again',
  });
}

function replaceFile(
  files: CaptureSite,
  place: Place,
  content: {
    readonly bytes: Uint8Array;
    readonly fresh: string;
    readonly mode?: number | undefined;
  },
): void {
  within(files.root, place.path, (folder, name) => {
    writeFile(folder.entry(name), content.bytes, {
      mode: content.mode ?? modeOf(place.after, folder.entry(name)),
      waiting: folder.entry(content.fresh),
      beforeNaming: () => refuseChanged(files, place),
    });
  });
}

function removeFile(files: CaptureSite, place: Place): void {
  within(files.root, place.path, (folder, name) => {
    refuseChanged(files, place);
    unlinkSync(folder.entry(name));
    syncPath(folder.self());
  });
}
