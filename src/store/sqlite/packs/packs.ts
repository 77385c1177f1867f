import { closeSync, fstatSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { zstdDecompressSync } from 'node:zlib';
import { SavepointError } from '../../../model/errors.ts';
import { type BlobId, isBlobId } from '../../../model/ids.ts';
import { hashBytes } from '../../blob.ts';
import type { Blob, PackReceipt } from '../../store.ts';
import { filesIn, type Layout, type PackPlace } from '../layout.ts';
import {
  type Frame,
  indexFile,
  listPacks,
  PackIndex,
  type Place,
  packFile,
  packOf,
  sizeOfPacks,
} from './pack-index.ts';
import { putBlobs } from './pack-writer.ts';

// A frame larger than this holds a single blob, so nobody asks for its neighbours.
const MAX_CACHED_BYTES = 1024 * 1024;
const MAX_CHUNK_BYTES = 1024 * 1024;

/** Reads the packs of a store. An index is loaded when it is first needed, and stays in memory. */
export class Packs implements PackPlace {
  readonly #layout: Layout;
  /** By the name of the pack; null for a damaged index. */
  readonly #known = new Map<string, PackIndex | null>();
  /** The last frame: whoever reads a tree asks for neighbours. */
  #recent: { readonly key: string; readonly bytes: Uint8Array } | null = null;

  constructor(layout: Layout) {
    this.#layout = layout;
  }

  /**
   * The bytes of a blob, compared with its hash; null when no pack, or none of these, has it. Throws
   * `blob-corrupt` when packs have it and none gives the right bytes.
   */
  read(id: BlobId, among?: readonly string[]): Uint8Array | null {
    if (!isBlobId(id)) return null;
    let found = this.#readKnown(id, among);
    // Another process may have made a pack, or removed one, since we looked.
    if (!(found instanceof Uint8Array) && this.#look()) found = this.#readKnown(id, among);
    if (found === 'absent') return null;
    if (found !== 'damaged') return found;
    throw new SavepointError('blob-corrupt', `blob ${id} is damaged in its pack`);
  }

  /** The index of a pack; null when it is missing or damaged. */
  index(name: string): PackIndex | null {
    this.#look();
    return this.#known.get(name) ?? null;
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
    return sizeOfPacks(this.#layout);
  }

  forget(): void {
    this.#known.clear();
    this.#recent = null;
  }

  #readKnown(id: BlobId, among?: readonly string[]): Uint8Array | 'damaged' | 'absent' {
    let outcome: 'damaged' | 'absent' = 'absent';
    for (const [name, index] of this.#known) {
      if (among?.includes(name) === false) continue;
      const place = index?.find(id);
      if (place === null) continue;
      const bytes = index && place && this.#readPlace(name, index, place);
      if (bytes && hashBytes(bytes) === id) return bytes;
      outcome = 'damaged';
    }
    return outcome;
  }

  /** A copy of the blob's bytes. Null when the frame cannot be read, or the pack is gone. */
  #readPlace(name: string, index: PackIndex, place: Place): Uint8Array | null {
    try {
      const frame = index.frame(place.frame);
      const bytes = this.#frame(name, place.frame, frame);
      return Uint8Array.from(bytes.subarray(place.offset, place.offset + place.length));
    } catch (error) {
      if (isTrouble(error)) throw error;
      return null;
    }
  }

  #frame(name: string, number: number, frame: Frame): Uint8Array {
    const key = `${name}/${number}`;
    if (this.#recent?.key === key) return this.#recent.bytes;
    const bytes = readFrame(packFile(this.#layout, name), frame);
    if (bytes.length <= MAX_CACHED_BYTES) this.#recent = { key, bytes };
    return bytes;
  }

  /** Reads the folder again. True when packs came, went, or are read again after damage. */
  #look(): boolean {
    const names = new Set(listPacks(this.#layout));
    let changed = false;
    for (const name of this.#known.keys()) {
      if (!names.has(name)) changed = this.#known.delete(name) || changed;
    }
    for (const name of names) {
      // A damaged index is loaded again: somebody may have replaced it.
      if (this.#known.get(name)) continue;
      this.#known.set(name, loadIndex(indexFile(this.#layout, name)));
      changed = true;
    }
    return changed;
  }
}

function loadIndex(file: string): PackIndex | null {
  try {
    return new PackIndex(readFileSync(file));
  } catch (error) {
    if (isTrouble(error)) throw error;
    return null;
  }
}

/** A failing disk or too many open files are not damage. A missing file is. */
function isTrouble(error: unknown): boolean {
  const { syscall, code } = error as NodeJS.ErrnoException;
  return syscall !== undefined && code !== 'ENOENT';
}

function readFrame(file: string, { offset, stored, raw }: Frame): Uint8Array {
  const bytes = readPart(file, offset, stored);
  if (stored === raw) return bytes;
  const chunkSize = Math.min(Math.max(raw, 64), MAX_CHUNK_BYTES);
  return zstdDecompressSync(bytes, { maxOutputLength: raw, chunkSize });
}

function readPart(file: string, offset: number, length: number): Uint8Array {
  const descriptor = openSync(file, 'r');
  try {
    // Compared first: a damaged number could ask for any amount of memory.
    if (offset + length > fstatSync(descriptor).size) throw new Error('a pack that is cut short');
    const bytes = Buffer.allocUnsafeSlow(length);
    let done = 0;
    while (done < length) {
      const read = readSync(descriptor, bytes, done, length - done, offset + done);
      if (read === 0) throw new Error('a pack that is cut short');
      done += read;
    }
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}
