import { ENTRY, FLAG } from './index-layout.ts';
import type { PathBytes } from './path-bytes.ts';
import { Refusal } from './refusal.ts';

const MAX_PATH = 4096;
// Version 4 lets a small file unfold to paths without end.
const MAX_POOL = 512 * 1024 * 1024;

/** The paths of an index: in versions 2 and 3 where they stand, in version 4 unfolded into a pool. */
export class PathReader {
  readonly #bytes: Buffer;
  readonly #folded: boolean;
  readonly #end: number;
  readonly #start: Uint32Array;
  readonly #stop: Uint32Array;
  readonly #views: [PathBytes, PathBytes];
  #pool: Buffer;
  #used = 0;

  constructor(bytes: Buffer, version: number, count: number, end: number) {
    this.#bytes = bytes;
    this.#folded = version === 4;
    this.#end = end;
    this.#start = new Uint32Array(count);
    this.#stop = new Uint32Array(count);
    this.#pool = this.#folded ? Buffer.allocUnsafe(Math.max(4096, bytes.length)) : bytes;
    const view = (): PathBytes => ({ bytes: this.#pool, start: 0, end: 0 });
    this.#views = [view(), view()];
  }

  /** Reads the path of entry `i`, which begins at `entry`; returns where the next entry begins. */
  read(i: number, entry: number, offset: number): number {
    const from = entry + offset;
    const stop = this.#folded ? this.#unfold(i, from) : this.#readInPlace(i, from);
    this.#checkLength(i, entry);
    // Versions 2 and 3: one to eight NULs, so that the whole entry is a multiple of eight.
    const next = this.#folded ? stop + 1 : entry + ((stop - entry + 8) & ~7);
    if (next > this.#end) throw damaged();
    return next;
  }

  /** A view on the path of entry `i`, good until that of `i + 2` is asked for. */
  path(i: number): PathBytes {
    const view = this.#views[i % 2 === 0 ? 0 : 1];
    view.bytes = this.#pool;
    view.start = this.#start[i] as number;
    view.end = this.#stop[i] as number;
    return view;
  }

  result(): { paths: Buffer; pathStart: Uint32Array; pathEnd: Uint32Array } {
    return { paths: this.#pool, pathStart: this.#start, pathEnd: this.#stop };
  }

  #readInPlace(i: number, from: number): number {
    const stop = this.#terminator(from);
    this.#start[i] = from;
    this.#stop[i] = stop;
    return stop;
  }

  /** Version 4: how many bytes of the path before are dropped, then what follows them. */
  #unfold(i: number, from: number): number {
    const [dropped, at] = this.#varint(from);
    const before = i === 0 ? { start: 0, end: 0 } : this.path(i - 1);
    const kept = before.end - before.start - dropped;
    if (kept < 0) throw damaged();
    const stop = this.#terminator(at);
    const length = kept + stop - at;
    if (length > MAX_PATH) throw damaged();
    this.#reserve(length);
    this.#pool.copyWithin(this.#used, before.start, before.start + kept);
    this.#bytes.copy(this.#pool, this.#used + kept, at, stop);
    this.#start[i] = this.#used;
    this.#used += length;
    this.#stop[i] = this.#used;
    return stop;
  }

  /** An entry says the length of its path as well, as far as that fits. */
  #checkLength(i: number, entry: number): void {
    const length = (this.#stop[i] as number) - (this.#start[i] as number);
    const said = this.#bytes.readUInt16BE(entry + ENTRY.flags) & FLAG.nameLength;
    // Only entries that stand for others, of the shared index of a split one, have no path.
    if (length === 0) throw new Refusal('split-index');
    if (said !== Math.min(length, FLAG.nameLength)) throw damaged();
  }

  #terminator(from: number): number {
    for (let at = from; at < this.#end && at - from <= MAX_PATH; at += 1) {
      if (this.#bytes[at] === 0) return at;
    }
    throw damaged();
  }

  #varint(from: number): [value: number, next: number] {
    let value = -1;
    for (let at = from; at < this.#end && at - from < 4; at += 1) {
      const byte = this.#bytes[at] as number;
      value = ((value + 1) << 7) | (byte & 0x7f);
      if (byte < 0x80) return [value, at + 1];
    }
    throw damaged();
  }

  #reserve(length: number): void {
    if (this.#used + length <= this.#pool.length) return;
    if (this.#pool.length >= MAX_POOL) throw damaged();
    const larger = Buffer.allocUnsafe(this.#pool.length * 2);
    this.#pool.copy(larger, 0, 0, this.#used);
    this.#pool = larger;
  }
}

function damaged(): Refusal {
  return new Refusal('index-damaged');
}
