import type { RawStat } from './entry-stat.ts';
import { type BuiltIndex, type CopySource, IndexBuilder } from './index-builder.ts';
import { MAX_RESTAMPED, newStamp, type Stamp } from './restamped.ts';
import type { ScanIndex } from './scan-index.ts';

/**
 * The new index as it grows out of the previous one. What is taken over is copied as late as possible and
 * in ranges as large as possible; where every entry stays and few stats moved, nothing is copied at all.
 */
export class CarriedIndex {
  readonly builder: IndexBuilder;
  readonly #index: ScanIndex;
  readonly #source: CopySource;
  /** From folder numbers of the previous index to those of the new one. */
  readonly #folders: Uint32Array;
  /** Entries of the previous index that come next and are not copied yet. */
  #kept: { readonly from: number; to: number } = { from: 0, to: 0 };
  /** Entries of the previous index that have another stamp than its columns say. */
  readonly #restamped: Map<number, Stamp>;
  #isRestamped = false;

  constructor(index: ScanIndex) {
    this.builder = new IndexBuilder(index.columns.sizes);
    this.#index = index;
    this.#restamped = new Map(index.restamped);
    this.#source = { columns: index.columns, rules: index.meta.rules };
    this.#folders = new Uint32Array(index.columns.sizes.folders);
  }

  get count(): number {
    return this.builder.count + this.#kept.to - this.#kept.from;
  }

  /** Takes entries over as they were. */
  keep(from: number, to: number): void {
    if (this.#kept.to !== from) {
      this.#copyKept();
      this.#kept = { from, to };
    } else {
      this.#kept.to = to;
    }
  }

  /** Takes an entry over with another stat. */
  replace(entry: number, stat: RawStat, flags: number): void {
    this.keep(entry, entry + 1);
    this.#restamped.set(entry, newStamp(this.#index.bits(entry), stat, flags));
    this.#isRestamped = true;
  }

  /** The number in the new index of a folder to which the next entry is to be added. */
  folderOf(known: number): number {
    this.#copyKept();
    return this.#folders[known] as number;
  }

  /** Says under which number a folder was added. */
  placeFolder(known: number, folder: number): void {
    this.#folders[known] = folder;
  }

  /** Null when it would be the previous index over again, its root's rules included. */
  finish(): BuiltIndex | null {
    const isWhole = this.builder.count === 0 && this.count === this.#index.count;
    const keepsRules = this.builder.rules.get(0) === this.#index.meta.rules.get(0);
    if (!isWhole || !keepsRules) return this.finishAnew();
    if (!this.#isRestamped) return null;
    if (this.#restamped.size > MAX_RESTAMPED) return this.finishAnew();
    const { columns, rules } = this.#source;
    return { columns, rules, restamped: this.#restamped };
  }

  finishAnew(): BuiltIndex {
    this.#copyKept();
    return this.builder.finish();
  }

  #copyKept(): void {
    const { from, to } = this.#kept;
    const shift = this.builder.count - from;
    this.builder.copy(this.#source, from, to, this.#folders);
    for (const [entry, stamp] of this.#restamped) {
      if (entry >= from && entry < to) this.builder.restamp(entry + shift, stamp);
    }
    this.#kept = { from: to, to };
  }
}
