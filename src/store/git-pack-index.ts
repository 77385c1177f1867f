const MAGIC = Uint8Array.of(0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2);
const FANOUT_AT = MAGIC.length;
const NAMES_AT = FANOUT_AT + 256 * 4;
const NAME_BYTES = 20;
// Checksums of the pack and of the index itself.
const TRAILER_BYTES = 2 * NAME_BYTES;
const FAR = 0x80000000;

/**
 * An index of git (`.idx`, version 2), which says where each object of a pack begins. It may be hostile:
 * every number in it is checked before it is used.
 */
export class GitPackIndex {
  readonly #bytes: Buffer;
  readonly #count: number;

  /** Null where the bytes are not an index of this version, or are cut short. */
  static from(bytes: Buffer): GitPackIndex | null {
    if (bytes.length < NAMES_AT + TRAILER_BYTES || !MAGIC.every((byte, at) => bytes[at] === byte)) {
      return null;
    }
    for (let at = FANOUT_AT + 4; at < NAMES_AT; at += 4) {
      if (bytes.readUInt32BE(at) < bytes.readUInt32BE(at - 4)) return null;
    }
    const count = bytes.readUInt32BE(NAMES_AT - 4);
    // Name, CRC and near offset of each object; far offsets follow.
    if (bytes.length < NAMES_AT + count * (NAME_BYTES + 8) + TRAILER_BYTES) return null;
    return new GitPackIndex(bytes, count);
  }

  private constructor(bytes: Buffer, count: number) {
    this.#bytes = bytes;
    this.#count = count;
  }

  /** The hash with which the pack of this index ends. */
  get packHash(): Buffer {
    return this.#bytes.subarray(-TRAILER_BYTES, -NAME_BYTES);
  }

  /** The position of the object whose id is at `at` in `ids`, or -1. */
  find(ids: Buffer, at = 0): number {
    const first = ids[at] as number;
    let low = first === 0 ? 0 : this.#below(first - 1);
    let high = this.#below(first);
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = compareIds(ids, at, this.#bytes, NAMES_AT + middle * NAME_BYTES);
      if (order === 0) return middle;
      if (order < 0) high = middle;
      else low = middle + 1;
    }
    return -1;
  }

  /** Where the object at a position begins in the pack; null where the index does not say. */
  offset(position: number): number | null {
    const nearAt = NAMES_AT + this.#count * (NAME_BYTES + 4);
    const near = this.#bytes.readUInt32BE(nearAt + position * 4);
    if (near < FAR) return near;
    const at = nearAt + this.#count * 4 + (near - FAR) * 8;
    if (at + 8 > this.#bytes.length - TRAILER_BYTES) return null;
    return Number(this.#bytes.readBigUInt64BE(at));
  }

  /** How many objects have this first byte or a smaller one. */
  #below(first: number): number {
    return this.#bytes.readUInt32BE(FANOUT_AT + first * 4);
  }
}

/** Faster than `Buffer.compare`, because the second or third byte mostly decides. */
function compareIds(a: Buffer, aAt: number, b: Buffer, bAt: number): number {
  for (let i = 0; i < NAME_BYTES; i += 1) {
    const difference = (a[aAt + i] as number) - (b[bAt + i] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}
