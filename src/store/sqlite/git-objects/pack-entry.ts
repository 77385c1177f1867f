import { readSync } from 'node:fs';
import { Damaged, requireSize } from './damaged.ts';
import { inflate, mostDeflated } from './inflate.ts';

/** What a pack holds at an offset: an object, or how to make one from another. */
export type Entry =
  | { readonly kind: 'blob'; readonly size: number; readonly dataAt: number }
  | {
      readonly kind: 'delta';
      readonly size: number;
      readonly dataAt: number;
      /** An offset in the same pack, or the object's id. */
      readonly base: number | Buffer;
    };

const PACK_HEADER_BYTES = 12;
const PACK_TRAILER_BYTES = 20;
const BLOB = 3;
const OFS_DELTA = 6;
const REF_DELTA = 7;
// Kind and size take at most 5 bytes for sizes that we read, a base's offset 8, its id 20.
const ENTRY_HEADER_BYTES = 32;

/** An open pack of git's. */
export class PackFile {
  readonly #descriptor: number;
  readonly #end: number;

  constructor(descriptor: number, size: number) {
    this.#descriptor = descriptor;
    this.#end = size - PACK_TRAILER_BYTES;
  }

  entry(offset: number): Entry {
    if (!(offset >= PACK_HEADER_BYTES)) throw new Damaged('an object before the first');
    const bytes = this.#read(offset, ENTRY_HEADER_BYTES);
    const reader = new HeaderReader(bytes);
    const { kind, size } = reader.kindAndSize();
    requireSize(size);
    if (kind === BLOB) return { kind: 'blob', size, dataAt: offset + reader.at };
    if (kind !== OFS_DELTA && kind !== REF_DELTA) throw new Damaged('an object that is no blob');
    const base = kind === REF_DELTA ? reader.id() : offset - reader.distance();
    return { kind: 'delta', size, dataAt: offset + reader.at, base };
  }

  /** The inflated bytes of an entry, exactly as many as it says. */
  data({ dataAt, size }: Entry): Uint8Array {
    return inflate(this.#read(dataAt, mostDeflated(size)), size);
  }

  /** As many bytes as there are, and no more than `length`. */
  #read(offset: number, length: number): Buffer {
    const there = Math.min(length, this.#end - offset);
    if (!(there > 0)) throw new Damaged('an object past the end of its pack');
    const bytes = Buffer.allocUnsafe(there);
    let done = 0;
    while (done < there) {
      const read = readSync(this.#descriptor, bytes, done, there - done, offset + done);
      if (read === 0) throw new Damaged('a pack that is cut short');
      done += read;
    }
    return bytes;
  }
}

class HeaderReader {
  readonly #bytes: Buffer;
  at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Seven bits in a byte, the lowest first; of the first byte, three bits are the kind. */
  kindAndSize(): { kind: number; size: number } {
    let byte = this.#next();
    const kind = (byte >> 4) & 7;
    let size = byte & 15;
    for (let factor = 16; byte >= 128; factor *= 128) {
      byte = this.#next();
      size += (byte & 127) * factor;
    }
    return { kind, size };
  }

  /** Seven bits in a byte, the highest first; each byte that follows stands for one more. */
  distance(): number {
    let byte = this.#next();
    let value = byte & 127;
    while (byte >= 128) {
      byte = this.#next();
      value = (value + 1) * 128 + (byte & 127);
    }
    if (value === 0) throw new Damaged('an object that is made from itself');
    return value;
  }

  id(): Buffer {
    const id = this.#bytes.subarray(this.at, this.at + 20);
    if (id.length < 20) throw new Damaged('an id that is cut short');
    this.at += 20;
    return id;
  }

  #next(): number {
    const byte = this.#bytes[this.at];
    if (byte === undefined) throw new Damaged('a number that does not end');
    this.at += 1;
    return byte;
  }
}
