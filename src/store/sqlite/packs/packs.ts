import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { zstdDecompressSync } from 'node:zlib';
import { SavepointError } from '../../../model/errors.ts';
import { type BlobId, isBlobId } from '../../../model/ids.ts';
import { hashBytes, isPackName } from '../../blob.ts';
import type { Blob, PackReceipt } from '../../store.ts';
import { filesIn, type Layout, type PackPlace, readAt, sizeBelow } from '../layout.ts';
import { Damaged, PackFolder } from './pack-folder.ts';
import { indexFile, PackIndex, packFile, packOf } from './pack-index.ts';
import { putBlobs } from './pack-writer.ts';

// A frame larger than this holds a single blob, so nobody asks for its neighbours.
const MAX_CACHED_BYTES = 1024 * 1024;
const MAX_CHUNK_BYTES = 1024 * 1024;

/** The packs of a store. */
export class Packs implements PackPlace {
  readonly #layout: Layout;
  readonly #folder: PackFolder<PackIndex>;
  /** The last frame: whoever reads a tree asks for neighbours. */
  #recent: { readonly key: string; readonly bytes: Uint8Array } | null = null;

  constructor(layout: Layout) {
    this.#layout = layout;
    const load = (file: string): PackIndex => new PackIndex(readFileSync(file));
    this.#folder = new PackFolder(layout.packs, load, isPackName);
  }

  read(id: BlobId, among?: readonly string[]): Uint8Array | null {
    if (!isBlobId(id)) return null;
    const found = this.#folder.read((name, index) =>
      among?.includes(name) === false ? null : this.#readFrom(name, index, id),
    );
    if (found === 'missing') return null;
    if (found !== 'damaged') return found;
    throw new SavepointError('blob-corrupt', `blob ${id} is damaged in its pack`);
  }

  index(name: string): PackIndex | null {
    return this.#folder.index(name);
  }

  put(groups: AsyncIterable<readonly Blob[]>): Promise<PackReceipt> {
    return putBlobs(this.#layout, groups);
  }

  names(): string[] {
    const names = filesIn(this.#layout.packs).map(packOf);
    return [...new Set(names.filter((name) => name !== null))];
  }

  remove(names: readonly string[]): void {
    for (const name of names) {
      // The index first: nobody reads a pack without one.
      rmSync(indexFile(this.#layout, name), { force: true });
      rmSync(packFile(this.#layout, name), { force: true });
    }
    this.forget();
  }

  bytes(): number {
    return sizeBelow(this.#layout.packs);
  }

  forget(): void {
    this.#folder.forget();
    this.#recent = null;
  }

  /** A copy of the blob's bytes, compared with its hash. */
  #readFrom(name: string, index: PackIndex, id: BlobId): Uint8Array | null {
    const place = index.find(id);
    if (place === null) return null;
    const frame = this.#frame(name, index, place.frame);
    const bytes = Uint8Array.from(frame.subarray(place.offset, place.offset + place.length));
    if (hashBytes(bytes) !== id) throw new Damaged('a blob that does not match its hash');
    return bytes;
  }

  #frame(name: string, index: PackIndex, number: number): Uint8Array {
    const key = `${name}/${number}`;
    if (this.#recent?.key === key) return this.#recent.bytes;
    const { offset, stored, raw } = index.frame(number);
    const bytes = readPart(packFile(this.#layout, name), offset, stored);
    const frame = stored === raw ? bytes : decompress(bytes, raw);
    if (frame.length <= MAX_CACHED_BYTES) this.#recent = { key, bytes: frame };
    return frame;
  }
}

function decompress(bytes: Uint8Array, length: number): Uint8Array {
  const chunkSize = Math.min(Math.max(length, 64), MAX_CHUNK_BYTES);
  return zstdDecompressSync(bytes, { maxOutputLength: length, chunkSize });
}

function readPart(file: string, offset: number, length: number): Uint8Array {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = readAt(descriptor, offset, length);
    if (bytes.length < length) throw new Damaged('a pack that is cut short');
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}
