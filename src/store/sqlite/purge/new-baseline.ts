import type { Baseline } from '../../../model/baseline.ts';
import type { BlobId } from '../../../model/ids.ts';
import type { HeldByGit } from '../../../model/manifest/entry.ts';
import { Manifest } from '../../../model/manifest/manifest.ts';
import { ManifestWriter } from '../../../model/manifest/manifest-writer.ts';
import { pathToBytes, type TrackedPath } from '../../../model/path.ts';
import { unknown } from '../../../model/state.ts';
import { blobOf, hashBytes } from '../../blob.ts';
import type { Blob } from '../../store.ts';
import { intact, readBlob } from '../blobs.ts';
import type { Connection } from '../connection.ts';
import type { Opened } from '../layout.ts';
import { readBaseline } from '../meta.ts';
import { hexList, LISTED_BYTES } from '../parameters.ts';
import { bytesToHash } from '../state-columns.ts';

/** A baseline without the purged paths. Its packs are durable, and no row names it yet. */
export interface NewBaseline {
  readonly baseline: Baseline;
  readonly manifest: Blob;
  /** Packs that were written for it, to be removed when the purge fails. */
  readonly newPacks: readonly string[];
}

/**
 * Makes the baseline without these paths. Packs that hold their bytes are written anew without them. Bytes
 * among git's objects are copied: a pack of git holds a history that nobody has looked through, and cannot
 * be cut.
 */
export async function newBaseline(
  opened: Opened,
  paths: readonly TrackedPath[],
): Promise<NewBaseline | null> {
  const old = readBaseline(opened.connection);
  if (old === null) return null;
  const list = new Manifest(readBlob(opened, old.manifest));
  const purged = new Set(paths);
  const needed = namedByOthers(opened.connection, paths);
  const stale = staleBlobs(list, purged, needed);
  // A pack whose index is damaged could hold anything.
  const kept = old.packs.filter((name) => {
    const index = opened.packs.index(name);
    return index !== null && !stale.some((id) => index.has(id));
  });
  const indices = kept.map((name) => opened.packs.index(name));
  const isKept = (id: BlobId): boolean => indices.some((index) => index?.has(id));
  const rewriter = new ManifestRewriter(opened, list, { purged, needed, isKept });
  const { packs: newPacks } = await opened.packs.put(rewriter.blobs());
  const manifest = blobOf(rewriter.finish());
  const packs = [...kept, ...newPacks];
  return { baseline: { seq: old.seq, manifest: manifest.id, packs }, manifest, newPacks };
}

const LISTED_HEADS = `(SELECT id FROM heads WHERE path IN ${LISTED_BYTES.replace('?', '?1')})`;

const NAMED_BY_OTHERS = `
  SELECT hash FROM blobs WHERE id IN (
    SELECT blob FROM heads WHERE id NOT IN ${LISTED_HEADS}
    UNION SELECT before_blob FROM changes WHERE path NOT IN ${LISTED_HEADS}
    UNION SELECT after_blob FROM changes WHERE path NOT IN ${LISTED_HEADS}
  )`;

/** Blobs that changes and heads of other paths name. */
function namedByOthers(connection: Connection, paths: readonly TrackedPath[]): ReadonlySet<BlobId> {
  const list = hexList(paths.map(pathToBytes));
  const rows = connection.all<{ hash: Uint8Array }>(NAMED_BY_OTHERS, list);
  return new Set(rows.map(({ hash }) => bytesToHash(hash)));
}

/** Contents that the purged paths had at the baseline and that no other path has. */
function staleBlobs(
  list: Manifest,
  purged: ReadonlySet<TrackedPath>,
  needed: ReadonlySet<BlobId>,
): BlobId[] {
  const stale = new Set<BlobId>();
  const others = new Set<BlobId>(needed);
  for (const [path, state] of list) {
    if (state.kind !== 'captured' || state.blob === null) continue;
    (purged.has(path) ? stale : others).add(state.blob);
  }
  return [...stale].filter((id) => !others.has(id));
}

interface RewriteOptions {
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

/** Reads a manifest once. Makes another one, and the blobs that a new pack must hold for it. */
class ManifestRewriter {
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

  /** One at a time, because all contents of a worktree may pass through here. */
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

  /** The new manifest. Complete only after all of `blobs` was read, which sets the states. */
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

  /** Null when a kept pack has the blob already, and when its bytes are lost. */
  #fromPack(id: BlobId): Blob | null {
    if (this.#options.isKept(id)) return null;
    const bytes = intact(() => this.#opened.packs.read(id));
    return bytes && { id, bytes };
  }
}
