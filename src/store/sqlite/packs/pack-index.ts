import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { BlobId } from '../../../model/ids.ts';
import { isPackName } from '../../blob.ts';
import type { Layout } from '../layout.ts';
import { Damaged } from './pack-folder.ts';

/** Several blobs that are compressed together, or stored as they are where that is not larger. */
export interface Frame {
  /** Where it begins in the pack, and how many bytes it has there. */
  readonly offset: number;
  readonly stored: number;
  /** Its length when it is decompressed. */
  readonly raw: number;
}

/** Where a blob lies: the number of its frame, and its place in the decompressed frame. */
export interface Place {
  readonly frame: number;
  readonly offset: number;
  readonly length: number;
}

// All numbers are little-endian. Header: magic, format, number of frames, number of blobs.
const MAGIC = 'SVIX';
const FORMAT = 1;
const HEADER_BYTES = 16;
const FRAME_BYTES = 16;
const HASH_BYTES = 32;
const PLACE_BYTES = 12;
const CHECKSUM_BYTES = 32;

/** The bytes of an index: header, frames, hashes in ascending order, their places, checksum. */
export function encodeIndex(
  frames: readonly Frame[],
  places: ReadonlyMap<BlobId, Place>,
): Uint8Array {
  const parts = partsOf(frames.length, places.size);
  const bytes = Buffer.alloc(parts.end);
  bytes.write(MAGIC, 'latin1');
  for (const [at, value] of [FORMAT, frames.length, places.size].entries()) {
    bytes.writeUInt32LE(value, 4 + at * 4);
  }
  for (const [at, frame] of frames.entries()) {
    writeFrame(bytes, parts.frames + at * FRAME_BYTES, frame);
  }
  for (const [at, id] of [...places.keys()].sort().entries()) {
    bytes.write(id, parts.hashes + at * HASH_BYTES, 'hex');
    writePlace(bytes, parts.places + at * PLACE_BYTES, places.get(id) as Place);
  }
  checksum(bytes).copy(bytes, parts.checksum);
  return bytes;
}

/** An index in memory. It searches in the bytes of its file. */
export class PackIndex {
  readonly #bytes: Buffer;
  readonly #frameCount: number;
  readonly #blobCount: number;
  readonly #parts: Parts;

  /** Throws `Damaged` when the bytes are not a complete index. */
  constructor(bytes: Buffer) {
    if (bytes.length < HEADER_BYTES || bytes.toString('latin1', 0, 4) !== MAGIC) {
      throw new Damaged('not an index of a pack');
    }
    if (bytes.readUInt32LE(4) !== FORMAT) throw new Damaged('an index of an unknown format');
    this.#bytes = bytes;
    this.#frameCount = bytes.readUInt32LE(8);
    this.#blobCount = bytes.readUInt32LE(12);
    this.#parts = partsOf(this.#frameCount, this.#blobCount);
    if (bytes.length !== this.#parts.end) throw new Damaged('an index of the wrong length');
    if (!checksum(bytes).equals(bytes.subarray(this.#parts.checksum))) {
      throw new Damaged('an index that does not match its checksum');
    }
  }

  /** Null when the pack does not hold the blob. */
  find(id: BlobId): Place | null {
    const wanted = Buffer.from(id, 'hex');
    let [low, high] = [0, this.#blobCount];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = this.#compare(middle, wanted);
      if (order === 0) return this.#place(middle);
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return null;
  }

  has(id: BlobId): boolean {
    return this.find(id) !== null;
  }

  /** Throws `Damaged` when there is no such frame. */
  frame(number: number): Frame {
    if (number >= this.#frameCount) throw new Damaged('an index that names no frame');
    const at = this.#parts.frames + number * FRAME_BYTES;
    return {
      offset: Number(this.#bytes.readBigUInt64LE(at)),
      stored: this.#bytes.readUInt32LE(at + 8),
      raw: this.#bytes.readUInt32LE(at + 12),
    };
  }

  #compare(index: number, wanted: Buffer): number {
    const at = this.#parts.hashes + index * HASH_BYTES;
    return this.#bytes.compare(wanted, 0, HASH_BYTES, at, at + HASH_BYTES);
  }

  #place(index: number): Place {
    const at = this.#parts.places + index * PLACE_BYTES;
    return {
      frame: this.#bytes.readUInt32LE(at),
      offset: this.#bytes.readUInt32LE(at + 4),
      length: this.#bytes.readUInt32LE(at + 8),
    };
  }
}

/** Where the parts of an index begin. */
interface Parts {
  readonly frames: number;
  readonly hashes: number;
  readonly places: number;
  readonly checksum: number;
  readonly end: number;
}

function partsOf(frameCount: number, blobCount: number): Parts {
  const hashes = HEADER_BYTES + frameCount * FRAME_BYTES;
  const places = hashes + blobCount * HASH_BYTES;
  const sum = places + blobCount * PLACE_BYTES;
  return { frames: HEADER_BYTES, hashes, places, checksum: sum, end: sum + CHECKSUM_BYTES };
}

function writeFrame(bytes: Buffer, at: number, { offset, stored, raw }: Frame): void {
  bytes.writeBigUInt64LE(BigInt(offset), at);
  bytes.writeUInt32LE(stored, at + 8);
  bytes.writeUInt32LE(raw, at + 12);
}

function writePlace(bytes: Buffer, at: number, place: Place): void {
  bytes.writeUInt32LE(place.frame, at);
  bytes.writeUInt32LE(place.offset, at + 4);
  bytes.writeUInt32LE(place.length, at + 8);
}

function checksum(bytes: Buffer): Buffer {
  return hash('sha256', bytes.subarray(0, -CHECKSUM_BYTES), 'buffer');
}

const PACK = '.pack';
const INDEX = '.idx';

export function packFile(layout: Layout, name: string): string {
  return join(layout.packs, name + PACK);
}

export function indexFile(layout: Layout, name: string): string {
  return join(layout.packs, name + INDEX);
}

/** The name of the pack that a file belongs to; null for a file with another kind of name. */
export function packOf(file: string): string | null {
  const name = [PACK, INDEX].find((suffix) => file.endsWith(suffix));
  const stem = name === undefined ? '' : file.slice(0, -name.length);
  return isPackName(stem) ? stem : null;
}
