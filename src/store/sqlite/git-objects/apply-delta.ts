import { Damaged, requireSize } from './damaged.ts';

const LITERAL_LIMIT = 128;
const DEFAULT_COPY_BYTES = 0x10000;

/** Makes an object from another and git's instructions: copy a part of the base, or take new bytes. */
export function applyDelta(base: Uint8Array, delta: Uint8Array): Uint8Array {
  const reader = new DeltaReader(delta);
  if (reader.number() !== base.length) throw new Damaged('a delta for another object');
  const result = Buffer.allocUnsafe(requireSize(reader.number()));
  let filled = 0;
  while (!reader.isAtEnd()) {
    const piece = reader.piece(base);
    if (filled + piece.length > result.length) throw new Damaged('a delta that makes too much');
    result.set(piece, filled);
    filled += piece.length;
  }
  if (filled !== result.length) throw new Damaged('a delta that makes too little');
  return result;
}

class DeltaReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  number(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#next();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  /** The bytes that the next instruction stands for. */
  piece(base: Uint8Array): Uint8Array {
    const instruction = this.#next();
    if (instruction === 0) throw new Damaged('an instruction that git does not know');
    return instruction < LITERAL_LIMIT
      ? this.#slice(this.#bytes, this.#skip(instruction), instruction)
      : this.#copy(base, instruction);
  }

  /** Bits of the instruction say which bytes of offset (four) and length (three) follow. */
  #copy(base: Uint8Array, instruction: number): Uint8Array {
    const part = (bit: number): number => (instruction & (1 << bit) ? this.#next() : 0);
    const offset = part(0) + part(1) * 0x100 + part(2) * 0x10000 + part(3) * 0x1000000;
    const length = part(4) + part(5) * 0x100 + part(6) * 0x10000;
    return this.#slice(base, offset, length === 0 ? DEFAULT_COPY_BYTES : length);
  }

  #slice(bytes: Uint8Array, offset: number, length: number): Uint8Array {
    if (offset + length > bytes.length) throw new Damaged('a delta that copies what is not there');
    return bytes.subarray(offset, offset + length);
  }

  /** Goes on by `length`; gives where it was. */
  #skip(length: number): number {
    const at = this.#at;
    this.#at += length;
    return at;
  }

  #next(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new Damaged('a delta that is cut short');
    this.#at += 1;
    return byte;
  }
}
