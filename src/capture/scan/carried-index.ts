import { copyColumns } from './columns.ts';
import type { RawStat } from './entry-stat.ts';
import { type BuiltIndex, type CopySource, IndexBuilder, setStat } from './index-builder.ts';
import type { ScanIndex } from './scan-index.ts';

/** An entry that stays where it is and has another stat now. */
interface Replaced {
  readonly entry: number;
  readonly stat: RawStat;
  readonly flags: number;
}

/**
 * The new index as it grows out of the previous one. What is taken over is copied as late as possible and
 * in ranges as large as possible: at once where every entry stays, not at all where every stat does too.
 */
export class CarriedIndex {
  readonly builder: IndexBuilder;
  readonly #index: ScanIndex;
  readonly #source: CopySource;
  /** From folder numbers of the previous index to those of the new one. */
  readonly #folders: Uint32Array;
  /** Entries of the previous index that come next and are not copied yet. */
  #kept: { readonly from: number; to: number } = { from: 0, to: 0 };
  /** Those among `#kept`, in order. */
  #replaced: Replaced[] = [];

  constructor(index: ScanIndex) {
    this.builder = new IndexBuilder(index.columns.sizes);
    this.#index = index;
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
    this.#replaced.push({ entry, stat, flags });
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
    return this.#replaced.length === 0 ? null : this.#restamped();
  }

  finishAnew(): BuiltIndex {
    this.#copyKept();
    return this.builder.finish();
  }

  /** Names, order and rules are those of the previous index. */
  #restamped(): BuiltIndex {
    const columns = copyColumns(this.#index.columns);
    for (const { entry, stat, flags } of this.#replaced) setStat(columns, entry, stat, flags);
    return { columns, rules: this.#source.rules };
  }

  #copyKept(): void {
    const { from, to } = this.#kept;
    const shift = this.builder.count - from;
    this.builder.copy(this.#source, from, to, this.#folders);
    for (const { entry, stat, flags } of this.#replaced) {
      this.builder.replace(entry + shift, stat, flags);
    }
    this.#replaced = [];
    this.#kept = { from: to, to };
  }
}
