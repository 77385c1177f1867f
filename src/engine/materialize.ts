import { dirname, resolve } from 'node:path';
import type { CaptureSite } from '../capture/capture.ts';
import {
  kindOf,
  makeFolder,
  makeFolders,
  makeLink,
  realPath,
  removeFolder,
  removeIfThere,
} from '../fs/entries.ts';
import { type PinnedFolder, pinParent } from '../fs/pinned-folder.ts';
import { namesIn } from '../fs/tree.ts';
import { writeNewFile } from '../fs/write-file.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import { isSavepointError, SavepointError } from '../model/errors.ts';
import { nameOf, type TrackedPath } from '../model/path.ts';
import { readGitObject } from '../store/find.ts';
import { type TreeState, treeAt } from '../timeline/tree-at.ts';

/** How much was written, and which paths could not be. */
export interface Materialized {
  readonly directory: string;
  readonly files: number;
  readonly folders: number;
  readonly links: number;
  readonly skipped: readonly { readonly path: TrackedPath; readonly reason: string }[];
}

/** Writes the tree of a checkpoint into an empty folder, which is made if it is not there. */
export async function materialize(
  site: CaptureSite,
  checkpoint: Checkpoint,
  directory: string,
): Promise<Materialized> {
  await site.store.maintain('verify', null, checkpoint.id);
  const tree = await treeAt(site, checkpoint);
  const target = new EmptyFolder(directory);
  const skipped: { path: TrackedPath; reason: string }[] = [];
  let done = 0;
  try {
    for (const [path, state] of tree) {
      await site.onProgress?.({ step: 'write', done, total: tree.size });
      done += 1;
      const reason = await target.write(site, path, state);
      if (reason !== null) skipped.push({ path, reason });
    }
    target.finish();
  } catch (error) {
    throw halfWritten(error, target);
  }
  return { directory: target.root, ...target.counts, skipped };
}

/** Removes a half-written tree: it is useless, and would be in the way of the next try. */
function halfWritten(error: unknown, target: EmptyFolder): unknown {
  const isGone = target.remove();
  if (isSavepointError(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new SavepointError('restore-failed', `the tree could not be written: ${reason}`, {
    path: target.root,
    hint: isGone
      ? 'what was written of it is removed again; mend what the message names, then try again'
      : 'a part of the tree is left there: remove it, or name another folder',
    cause: error,
  });
}

class EmptyFolder {
  readonly root: string;
  readonly counts = { files: 0, folders: 0, links: 0 };
  readonly #modes: { readonly path: TrackedPath; readonly mode: number }[] = [];
  /** All entries that were made here, in order. */
  readonly #made: TrackedPath[] = [];
  /** As it was named: this folder and those above it, up to the outermost that had to be made. */
  readonly #at: string;
  readonly #madeFrom: string | undefined;

  constructor(directory: string) {
    this.#at = resolve(directory);
    this.#madeFrom = makeFolders(this.#at);
    this.root = realPath(this.#at);
    if (namesIn(this.root).length === 0) return;
    throw new SavepointError('argument-invalid', 'the folder is not empty', {
      path: directory,
      hint: 'name an empty folder, or one that is not there yet',
    });
  }

  /** Null, or the reason why it was not written. */
  async write(site: CaptureSite, path: TrackedPath, state: TreeState): Promise<string | null> {
    if (state.kind === 'absent') return null;
    if (state.kind === 'unknown') return state.reason;
    const bytes = await contentOf(site, state);
    if (typeof bytes === 'string') return bytes;
    const parent = pinParent(this.root, path);
    // The folder could not be written either; its own entry says why.
    if (parent === null) return 'folder-missing';
    try {
      this.#put(parent, path, state, bytes);
      return null;
    } finally {
      parent.close();
    }
  }

  /** Folders get their modes at the end, because until then files are written into them. */
  finish(): void {
    for (const { path, mode } of this.#modes.toReversed()) {
      const parent = pinParent(this.root, path);
      parent?.chmod(nameOf(path), mode);
      parent?.close();
    }
  }

  /** Removes what was made, and nothing else. Returns whether nothing is left. */
  remove(): boolean {
    for (const path of this.#made.toReversed()) this.#removeEntry(path);
    try {
      if (namesIn(this.root).length > 0) return false;
      return this.#madeFrom === undefined || removeFolders(this.#at, this.#madeFrom);
    } catch {
      return false;
    }
  }

  #removeEntry(path: TrackedPath): void {
    let parent: PinnedFolder | null = null;
    try {
      parent = pinParent(this.root, path);
      if (parent === null) return;
      const entry = parent.entry(nameOf(path));
      if (kindOf(entry) === 'directory') removeFolder(entry);
      else removeIfThere(entry);
    } catch {
      // The entry stays, and `remove` returns false.
    } finally {
      parent?.close();
    }
  }

  #put(
    parent: PinnedFolder,
    path: TrackedPath,
    state: Exclude<TreeState, { kind: 'absent' | 'unknown' }>,
    bytes: Uint8Array | null,
  ): void {
    const entry = parent.entry(nameOf(path));
    if (bytes === null) {
      makeFolder(entry, 0o700);
      this.#modes.push({ path, mode: state.mode });
      this.counts.folders += 1;
    } else if (state.kind === 'captured' && state.type === 'symlink') {
      makeLink(bytes, entry);
      this.counts.links += 1;
    } else {
      writeNewFile(entry, bytes, state.mode);
      this.counts.files += 1;
    }
    this.#made.push(path);
  }
}

/** Removes a folder and those above it, up to and with `last`. False where one is not empty. */
function removeFolders(folder: string, last: string): boolean {
  for (let at = folder; at.length >= last.length; at = dirname(at)) {
    if (!removeFolder(at)) return false;
  }
  return true;
}

/** Null for a folder; a text where the bytes are lost. */
async function contentOf(
  { store }: CaptureSite,
  state: Exclude<TreeState, { kind: 'absent' | 'unknown' }>,
): Promise<Uint8Array | null | string> {
  try {
    if (state.kind === 'git') return await readGitObject(store, state.key);
    if (state.blob === null) return null;
    return await store.blobs.read(state.blob);
  } catch (error) {
    if (isSavepointError(error, 'blob-missing') || isSavepointError(error, 'blob-corrupt')) {
      return error.code;
    }
    throw error;
  }
}
