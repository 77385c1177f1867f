import { mkdirSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CaptureSite } from '../capture/capture.ts';
import { type PinnedFolder, pinParent } from '../capture/pinned-folder.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import { isSavepointError, SavepointError } from '../model/errors.ts';
import { nameOf, type TrackedPath } from '../model/path.ts';
import { type TreeState, treeAt } from '../timeline/tree-at.ts';

/** What was written, and what could not be. */
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
  await site.store.verify(null, checkpoint.id);
  const tree = await treeAt(site, checkpoint);
  const target = new EmptyFolder(directory);
  const skipped: { path: TrackedPath; reason: string }[] = [];
  let done = 0;
  for (const [path, state] of tree) {
    await site.onProgress?.({ step: 'write', done, total: tree.size });
    done += 1;
    const reason = await target.write(site, path, state);
    if (reason !== null) skipped.push({ path, reason });
  }
  target.finish();
  return { directory: target.root, ...target.counts, skipped };
}

class EmptyFolder {
  readonly root: string;
  readonly counts = { files: 0, folders: 0, links: 0 };
  readonly #modes: { readonly path: TrackedPath; readonly mode: number }[] = [];

  constructor(directory: string) {
    const at = resolve(directory);
    mkdirSync(at, { recursive: true });
    this.root = realpathSync(at);
    if (readdirSync(this.root).length === 0) return;
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
    // Its folder could not be written either, and says why.
    if (parent === null) return 'folder-missing';
    try {
      this.#put(parent, path, state, bytes);
      return null;
    } finally {
      parent.close();
    }
  }

  /** Folders get their modes at the end: until then they must let us in. */
  finish(): void {
    for (const { path, mode } of this.#modes.toReversed()) {
      const parent = pinParent(this.root, path);
      parent?.chmod(nameOf(path), mode);
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
      mkdirSync(entry, 0o700);
      this.#modes.push({ path, mode: state.mode });
      this.counts.folders += 1;
    } else if (state.kind === 'captured' && state.type === 'symlink') {
      symlinkSync(Buffer.from(bytes), entry);
      this.counts.links += 1;
    } else {
      writeFileSync(entry, bytes, { flag: 'wx', mode: 0o600 });
      parent.chmod(nameOf(path), state.mode);
      this.counts.files += 1;
    }
  }
}

/** Null for a folder; a text where the bytes are lost. */
async function contentOf(
  { store }: CaptureSite,
  state: Exclude<TreeState, { kind: 'absent' | 'unknown' }>,
): Promise<Uint8Array | null | string> {
  try {
    if (state.kind === 'git') return await store.readGitObject(state.key);
    if (state.blob === null) return null;
    return (await store.readPacked(state.blob)) ?? (await store.readBlob(state.blob));
  } catch (error) {
    if (isSavepointError(error, 'blob-missing') || isSavepointError(error, 'blob-corrupt')) {
      return error.code;
    }
    throw error;
  }
}
