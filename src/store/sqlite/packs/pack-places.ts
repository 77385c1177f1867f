import type { BlobId } from '../../../model/ids.ts';
import type { Place } from './pack-index.ts';

const HASH_BYTES = 32;
/** Frame, offset, length. */
const NUMBERS = 3;
const FIRST_CAPACITY = 1024;

/**
 * Where the blobs of a pack lie, while it is written. Bytes and numbers in columns: a hundred thousand
 * blobs as texts and objects would stay in memory for minutes, several times as large.
 */
export class PackPlaces {
  #count = 0;
  #hashes: Buffer = Buffer.alloc(FIRST_CAPACITY * HASH_BYTES);
  #numbers = new Uint32Array(FIRST_CAPACITY * NUMBERS);
  /** Numbers of blobs, plus one, at the slots that their hashes lead to; never more than half full. */
  #slots = new Uint32Array(FIRST_CAPACITY * 2);

  get size(): number {
    return this.#count;
  }

  has(id: BlobId): boolean {
    // First the slot: looking for it may make the table grow, and then it is another table.
    const slot = this.#find(id);
    return this.#slots[slot] !== 0;
  }

  /** A blob that has a place already keeps it. */
  add(id: BlobId, { frame, offset, length }: Place): void {
    const slot = this.#find(id);
    if (this.#slots[slot] !== 0) return;
    this.#numbers.set([frame, offset, length], this.#count * NUMBERS);
    this.#count += 1;
    this.#slots[slot] = this.#count;
  }

  /** In ascending order of the hashes. */
  *[Symbol.iterator](): Iterator<{ readonly hash: Buffer; readonly place: Place }> {
    for (const blob of this.#sorted()) {
      const at = blob * NUMBERS;
      const [frame = 0, offset = 0, length = 0] = this.#numbers.subarray(at, at + NUMBERS);
      yield { hash: this.#hash(blob), place: { frame, offset, length } };
    }
  }

  /** The slot of a blob, or the free one that it would get. */
  #find(id: BlobId): number {
    if (this.#count * 2 === this.#slots.length) this.#grow();
    // Beyond the last one, as if it were there.
    this.#hashes.write(id, this.#count * HASH_BYTES, 'hex');
    return this.#slotOf(this.#count);
  }

  #slotOf(blob: number): number {
    const mask = this.#slots.length - 1;
    let slot = this.#hashes.readUInt32LE(blob * HASH_BYTES) & mask;
    for (let other = this.#slots[slot]; other; other = this.#slots[slot]) {
      if (this.#compare(blob, other - 1) === 0) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #grow(): void {
    const hashes = Buffer.alloc(this.#hashes.length * 2);
    hashes.set(this.#hashes);
    this.#hashes = hashes;
    const numbers = new Uint32Array(this.#numbers.length * 2);
    numbers.set(this.#numbers);
    this.#numbers = numbers;
    this.#slots = new Uint32Array(this.#slots.length * 2);
    for (let blob = 0; blob < this.#count; blob += 1) this.#slots[this.#slotOf(blob)] = blob + 1;
  }

  #sorted(): Uint32Array {
    const firsts = Uint32Array.from({ length: this.#count }, (_, blob) =>
      this.#hashes.readUInt32BE(blob * HASH_BYTES),
    );
    // Four bytes tell nearly all of them apart, and numbers are compared in no time.
    const order = (a: number, b: number) =>
      (firsts[a] as number) - (firsts[b] as number) || this.#compare(a, b);
    return Uint32Array.from({ length: this.#count }, (_, blob) => blob).sort(order);
  }

  #compare(a: number, b: number): number {
    return this.#hash(a).compare(this.#hash(b));
  }

  #hash(blob: number): Buffer {
    return this.#hashes.subarray(blob * HASH_BYTES, (blob + 1) * HASH_BYTES);
  }
}
