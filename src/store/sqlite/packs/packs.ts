import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { zstdDecompressSync } from 'node:zlib';
import { SavepointError } from '../../../model/errors.ts';
import { type BlobId, isBlobId } from '../../../model/ids.ts';
import { hashBytes } from '../../blob.ts';
import type { Layout } from '../layout.ts';
import { indexFile, listPacks, packFile } from './pack-files.ts';
import { type Frame, PackIndex, type Place } from './pack-index.ts';

// A frame larger than this holds one blob, and nobody comes back for its neighbours.
const MAX_CACHED_BYTES = 1024 * 1024;
const MAX_CHUNK_BYTES = 1024 * 1024;

/** Null: its index is damaged. */
type Known = PackIndex | null;

/** The packs of a store, for reading. Indices are loaded when they are first needed, and stay. */
export class Packs {
  readonly #layout: Layout;
  readonly #known = new Map<string, Known>();
  /** Whoever reads a tree asks for neighbours. */
  #recent: { readonly key: string; readonly bytes: Uint8Array } | null = null;

  constructor(layout: Layout) {
    this.#layout = layout;
  }

  /**
   * The bytes of a blob, verified; null when it is in no pack. Throws `blob-corrupt` when no pack gives
   * the right ones.
   */
  read(id: BlobId): Uint8Array | null {
    if (!isBlobId(id)) return null;
    const found = this.#readKnown(id);
    if (found instanceof Uint8Array) return found;
    // Another process may have made a pack, or removed one, since we looked.
    return this.#look() ? this.#settled(id, this.#readKnown(id)) : this.#settled(id, found);
  }

  /** Whether one of these packs holds a blob. */
  holds(names: readonly string[], id: BlobId): boolean {
    this.#look();
    return names.some((name) => (this.#known.get(name)?.find(id) ?? null) !== null);
  }

  /** Whether a pack can be looked into. */
  isWhole(name: string): boolean {
    this.#look();
    return (this.#known.get(name) ?? null) !== null;
  }

  /** To be called when packs were removed. */
  forget(): void {
    this.#known.clear();
    this.#recent = null;
  }

  #readKnown(id: BlobId): Uint8Array | 'damaged' | 'absent' {
    let outcome: 'damaged' | 'absent' = 'absent';
    for (const [name, index] of this.#known) {
      const place = index?.find(id);
      if (place === null) continue;
      const bytes = index && place && this.#readPlace(name, index, place);
      if (bytes && hashBytes(bytes) === id) return bytes;
      outcome = 'damaged';
    }
    return outcome;
  }

  #settled(id: BlobId, found: Uint8Array | 'damaged' | 'absent'): Uint8Array | null {
    if (found === 'absent') return null;
    if (found !== 'damaged') return found;
    throw new SavepointError('blob-corrupt', `blob ${id} is damaged in its pack`);
  }

  /** A copy of the blob's part of its frame. Null when it cannot be read, or the pack is gone. */
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

  /** Brings what we know up to the folder's entries. True when something changed. */
  #look(): boolean {
    const names = new Set(listPacks(this.#layout));
    let changed = false;
    for (const name of this.#known.keys()) {
      if (!names.has(name)) changed = this.#known.delete(name) || changed;
    }
    for (const name of names) {
      // A damaged one is looked at again: somebody may have put it right.
      if (this.#known.get(name)) continue;
      this.#known.set(name, loadIndex(indexFile(this.#layout, name)));
      changed = true;
    }
    return changed;
  }
}

function loadIndex(file: string): Known {
  try {
    return new PackIndex(readFileSync(file));
  } catch (error) {
    if (isTrouble(error)) throw error;
    return null;
  }
}

/** A failing disk, or too many open files, says nothing about the bytes. A file that is gone does. */
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
    // Looked at first, so that a number that damage made does not make us ask for that much memory.
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
