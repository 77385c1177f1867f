import type { IndexColumns } from './columns.ts';
import { MODE_MASK, RACY } from './entry-stat.ts';
import type { QuickStat } from './file-system.ts';

/** More than what is lost of a time in a double, twice. */
const TOLERANCE_NS = 1_000;
const MILLISECOND_NS = 1e6;
const UPPER_HALF = 2 ** 32;

/**
 * Compares entries with stats in plain numbers, without making a bigint. What it calls settled is; what
 * it does not call so needs an exact look.
 *
 * Times that are a microsecond apart pass for the same. That is no weaker: an entry that is not racy was
 * stamped a tick or more before the scan looked at it, so whatever changed it since moved its ctime
 * (which nobody can set) by far more.
 */
export class QuickCheck {
  readonly #bits: Uint32Array;
  readonly #mtimeNs: Uint32Array;
  readonly #ctimeNs: Uint32Array;
  readonly #ino: Uint32Array;
  readonly #size: Uint32Array;

  constructor({ bits, mtimeNs, ctimeNs, ino, size }: IndexColumns) {
    this.#bits = bits;
    this.#mtimeNs = halvesOf(mtimeNs);
    this.#ctimeNs = halvesOf(ctimeNs);
    this.#ino = halvesOf(ino);
    this.#size = halvesOf(size);
  }

  isSettled(entry: number, stat: QuickStat): boolean {
    const bits = this.#bits[entry] as number;
    return (
      (bits & RACY) === 0 &&
      isNear(stat.mtimeMs, valueAt(this.#mtimeNs, entry)) &&
      isNear(stat.ctimeMs, valueAt(this.#ctimeNs, entry)) &&
      stat.size === valueAt(this.#size, entry) &&
      stat.ino === valueAt(this.#ino, entry) &&
      stat.mode === (bits & MODE_MASK)
    );
  }
}

function halvesOf(column: BigInt64Array): Uint32Array {
  return new Uint32Array(column.buffer, column.byteOffset, column.length * 2);
}

/** Rounded as the file system's own numbers are. The lower half first: elsewhere nothing would be equal. */
function valueAt(halves: Uint32Array, entry: number): number {
  return (halves[entry * 2 + 1] as number) * UPPER_HALF + (halves[entry * 2] as number);
}

function isNear(milliseconds: number, nanoseconds: number): boolean {
  return Math.abs(milliseconds * MILLISECOND_NS - nanoseconds) < TOLERANCE_NS;
}
