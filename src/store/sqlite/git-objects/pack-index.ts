import { Damaged } from './damaged.ts';

const MAGIC = Uint8Array.of(0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2);
const FANOUT_AT = MAGIC.length;
const NAMES_AT = FANOUT_AT + 256 * 4;
const NAME_BYTES = 20;
// Checksums of the pack and of the index itself.
const TRAILER_BYTES = 40;
const FAR = 0x80000000;

/** A `.idx` of git's, version 2: where the objects of a pack begin. Searches in the file's bytes. */
export class PackIndex {
  readonly #bytes: Buffer;
  readonly #count: number;

  /** Throws `Damaged` when the bytes cannot be an index of this version. */
  constructor(bytes: Buffer) {
    if (bytes.length < NAMES_AT + TRAILER_BYTES || !MAGIC.every((byte, at) => bytes[at] === byte)) {
      throw new Damaged('not an index of version 2');
    }
    this.#bytes = bytes;
    this.#count = this.#fanout(255);
    // Name, CRC and near offset of each object; far offsets follow.
    const least = NAMES_AT + this.#count * (NAME_BYTES + 8) + TRAILER_BYTES;
    if (bytes.length < least) throw new Damaged('an index that is cut short');
  }

  /** Null when the pack does not hold the object. */
  find(key: Buffer): number | null {
    const first = key[0] ?? 0;
    let low = first === 0 ? 0 : this.#fanout(first - 1);
    let high = Math.min(this.#fanout(first), this.#count);
    while (low < high) {
      const middle = (low + high) >>> 1;
      const at = NAMES_AT + middle * NAME_BYTES;
      const order = this.#bytes.compare(key, 0, NAME_BYTES, at, at + NAME_BYTES);
      if (order === 0) return this.#offset(middle);
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return null;
  }

  #fanout(byte: number): number {
    return this.#bytes.readUInt32BE(FANOUT_AT + byte * 4);
  }

  #offset(index: number): number {
    const nearAt = NAMES_AT + this.#count * (NAME_BYTES + 4);
    const near = this.#bytes.readUInt32BE(nearAt + index * 4);
    if (near < FAR) return near;
    const at = nearAt + this.#count * 4 + (near - FAR) * 8;
    if (at + 8 > this.#bytes.length - TRAILER_BYTES) throw new Damaged('an offset that is none');
    return Number(this.#bytes.readBigUInt64BE(at));
  }
}
