import type { BlobId } from '../../../model/ids.ts';
import type { HeldByGit } from '../../../model/manifest/entry.ts';
import type { Manifest } from '../../../model/manifest/manifest.ts';
import { ManifestWriter } from '../../../model/manifest/manifest-writer.ts';
import type { TrackedPath } from '../../../model/path.ts';
import { unknown } from '../../../model/state.ts';
import { hashBytes } from '../../blob.ts';
import type { Blob } from '../../store.ts';
import type { Opened } from '../opened.ts';
import { intact } from '../read-blob.ts';
import { bytesToHash } from '../state-columns.ts';

export interface RewriteOptions {
  readonly purged: ReadonlySet<TrackedPath>;
  /** Blobs that rows of other paths name. */
  readonly needed: ReadonlySet<BlobId>;
  /** Whether a pack that stays holds a blob. */
  readonly isKept: (id: BlobId) => boolean;
}

interface ReferenceRow {
  readonly hash: Uint8Array;
  readonly encoding: 'pack' | 'git';
  readonly data: Uint8Array | null;
}

const REFERENCES = "SELECT hash, encoding, data FROM blobs WHERE encoding IN ('pack', 'git')";
const NO_KEY: Uint8Array = new Uint8Array(0);

/** Goes once through a manifest, and makes another and what a new pack has to hold for it. */
export class ManifestRewriter {
  readonly #opened: Opened;
  readonly #list: Manifest;
  readonly #options: RewriteOptions;
  readonly #writer: ManifestWriter;

  constructor(opened: Opened, list: Manifest, options: RewriteOptions) {
    this.#opened = opened;
    this.#list = list;
    this.#options = options;
    this.#writer = new ManifestWriter(list.count);
  }

  /** One at a time: a whole worktree may go through here. */
  async *blobs(): AsyncGenerator<readonly Blob[]> {
    for (let at = 0; at < this.#list.count; at += 1) {
      const blob = this.#take(at);
      if (blob !== null) yield [blob];
    }
    for (const row of this.#opened.connection.all<ReferenceRow>(REFERENCES)) {
      const blob = this.#ofRow(row);
      if (blob !== null) yield [blob];
    }
  }

  /** To be called when all blobs were asked for: states are set on the way. */
  finish(): Uint8Array {
    return this.#writer.finish((at) => this.#list.path(at));
  }

  #take(at: number): Blob | null {
    const isPurged = this.#options.purged.has(this.#list.path(at));
    const state = isPurged ? unknown('purged') : this.#list.state(at);
    if (state.kind === 'git') return this.#takeOver(at, state);
    this.#writer.set(at, state);
    return state.kind === 'unknown' || state.blob === null ? null : this.#fromPack(state.blob);
  }

  #takeOver(at: number, { mode, size, key }: HeldByGit): Blob | null {
    const bytes = intact(() => this.#opened.gitObjects.read(key));
    if (bytes === null) {
      this.#writer.set(at, unknown('damaged'));
      return null;
    }
    const id = hashBytes(bytes);
    this.#writer.set(at, { kind: 'captured', type: 'file', mode, blob: id, size });
    return { id, bytes };
  }

  #ofRow({ hash, encoding, data }: ReferenceRow): Blob | null {
    const id = bytesToHash(hash);
    if (!this.#options.needed.has(id)) return null;
    if (encoding === 'pack') return this.#fromPack(id);
    const bytes = intact(() => this.#opened.gitObjects.read(data ?? NO_KEY));
    return bytes && { id, bytes };
  }

  /** Null for what need not be copied, and for what is lost. */
  #fromPack(id: BlobId): Blob | null {
    if (this.#options.isKept(id)) return null;
    const bytes = intact(() => this.#opened.packs.read(id));
    return bytes && { id, bytes };
  }
}
