import { isSavepointError } from '../model/errors.ts';
import type { BlobId } from '../model/ids.ts';
import { type Baseline, type BaselineState, type HeldByGit, Manifest } from '../model/manifest.ts';
import type { TrackedPath } from '../model/path.ts';
import { type State, unknown } from '../model/state.ts';
import { hashBytes } from '../store/blob.ts';
import type { Draft } from '../store/draft.ts';
import { findHead, readGitObject } from '../store/find.ts';
import type { BlobReference, Head, Store } from '../store/store.ts';

/** A known state, and the reference that must be on record before a row may name its bytes. */
export interface KnownState {
  readonly head: Head;
  readonly reference: BlobReference | null;
}

/**
 * The last known state of each path: its head, or its state in the baseline if it never changed since.
 * Every change starts from this state.
 */
export class KnownStates {
  readonly #store: Store;
  #manifest: { readonly id: BlobId; readonly list: Manifest } | null = null;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Null for a path that nobody has ever looked at. */
  async find(path: TrackedPath): Promise<KnownState | null> {
    const head = await findHead(this.#store, path);
    if (head !== null) return { head, reference: null };
    const baseline = (await this.#store.state()).baseline;
    if (baseline === null) return null;
    const found = (await this.#listOf(baseline)).find(path);
    if (found === null) return null;
    const { state, reference } = await this.resolve(found);
    return { head: { path, seq: baseline.seq, state, open: false }, reference };
  }

  /** The list of the baseline, or null before there is one. */
  async manifest(): Promise<Manifest | null> {
    const baseline = (await this.#store.state()).baseline;
    return baseline === null ? null : this.#listOf(baseline);
  }

  /** Turns a state of the baseline into an ordinary state. */
  async resolve(
    found: BaselineState,
  ): Promise<{ readonly state: State; readonly reference: BlobReference | null }> {
    if (found.kind === 'git') return this.#resolveHeld(found);
    if (found.kind === 'unknown' || found.blob === null) return { state: found, reference: null };
    const { blob: id, size } = found;
    return { state: found, reference: { id, size, source: 'pack', key: null } };
  }

  async #listOf({ manifest: id }: Baseline): Promise<Manifest> {
    if (this.#manifest?.id !== id) {
      this.#manifest = { id, list: new Manifest(await this.#store.blobs.read(id)) };
    }
    return this.#manifest.list;
  }

  async #resolveHeld({
    mode,
    size,
    key,
  }: HeldByGit): Promise<{ readonly state: State; readonly reference: BlobReference | null }> {
    try {
      const id = hashBytes(await readGitObject(this.#store, key));
      const state: State = { kind: 'captured', type: 'file', mode, blob: id, size };
      return { state, reference: { id, size, source: 'git', key } };
    } catch (error) {
      // The bytes are lost, so a restore must leave the path alone.
      const lost =
        isSavepointError(error, 'blob-missing') || isSavepointError(error, 'blob-corrupt');
      if (lost) return { state: unknown('damaged'), reference: null };
      throw error;
    }
  }
}

/** The known state of a path, including the draft's own changes. Adds the reference for its bytes to the draft. */
export async function headOf(
  draft: Draft,
  known: KnownStates,
  path: TrackedPath,
): Promise<Head | null> {
  const last = draft.lastChange(path);
  if (last !== null) {
    return { path, seq: last.seq, state: last.after ?? last.before, open: last.after === null };
  }
  const found = await known.find(path);
  if (found === null) return null;
  if (found.reference !== null) draft.addReference(found.reference);
  return found.head;
}
