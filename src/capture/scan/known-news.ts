import type { RawStat } from './entry-stat.ts';

export const SAME = 0;
export const MOVED = 1;
export const MISSING = 2;
export const FAILED = 3;

/** The entries of an index whose stat says something new: as plain columns, to be sent between threads. */
export interface NewsColumns {
  readonly entries: Uint32Array;
  readonly kinds: Uint8Array;
  readonly modes: Uint32Array;
  /** Four for each entry: mtime, ctime, inode, size. */
  readonly stats: BigInt64Array;
}

/** Gathers what one thread found. */
export class NewsBuilder {
  readonly #entries: number[] = [];
  readonly #kinds: number[] = [];
  readonly #modes: number[] = [];
  readonly #stats: bigint[] = [];

  moved(entry: number, stat: RawStat): void {
    this.#entries.push(entry);
    this.#kinds.push(MOVED);
    this.#modes.push(Number(stat.mode));
    this.#stats.push(stat.mtimeNs, stat.ctimeNs, stat.ino, stat.size);
  }

  lost(entry: number, kind: typeof MISSING | typeof FAILED): void {
    this.#addBare(entry, kind);
  }

  /** Takes back what an earlier part says. */
  same(entry: number): void {
    this.#addBare(entry, SAME);
  }

  finish(): NewsColumns {
    return {
      entries: Uint32Array.from(this.#entries),
      kinds: Uint8Array.from(this.#kinds),
      modes: Uint32Array.from(this.#modes),
      stats: BigInt64Array.from(this.#stats),
    };
  }

  #addBare(entry: number, kind: number): void {
    this.#entries.push(entry);
    this.#kinds.push(kind);
    this.#modes.push(0);
    this.#stats.push(0n, 0n, 0n, 0n);
  }
}

/** What all threads found, by entry. Later parts know better than earlier ones. */
export class KnownNews {
  /** One of the kinds above for each entry of the index. */
  readonly #kinds: Uint8Array;
  readonly #parts: readonly NewsColumns[];
  /** Where an entry's stat is: counted through all parts. */
  readonly #places: Uint32Array;

  constructor(entries: number, parts: readonly NewsColumns[]) {
    this.#parts = parts;
    this.#kinds = new Uint8Array(entries);
    this.#places = new Uint32Array(entries);
    let place = 0;
    for (const part of parts) {
      for (let at = 0; at < part.entries.length; at += 1) {
        this.#kinds[part.entries[at] as number] = part.kinds[at] as number;
        this.#places[part.entries[at] as number] = place;
        place += 1;
      }
    }
  }

  /** The entries that have news, in no order; some twice. */
  *changed(): Iterable<number> {
    for (const { entries } of this.#parts) {
      for (const entry of entries) if (this.kind(entry) !== SAME) yield entry;
    }
  }

  kind(entry: number): number {
    return this.#kinds[entry] as number;
  }

  /** The stat of an entry that moved. */
  stat(entry: number): RawStat {
    let at = this.#places[entry] as number;
    for (const { entries, modes, stats } of this.#parts) {
      if (at < entries.length) {
        const [mtimeNs = 0n, ctimeNs = 0n, ino = 0n, size = 0n] = stats.subarray(
          at * 4,
          at * 4 + 4,
        );
        return { mode: BigInt(modes[at] as number), mtimeNs, ctimeNs, ino, size };
      }
      at -= entries.length;
    }
    throw new RangeError('an entry without news has no new stat');
  }
}
