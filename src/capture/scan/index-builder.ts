import { ownUid } from '../../fs/entries.ts';
import { pathToBytes } from '../../model/path.ts';
import { type EntryStat, isDirectoryMode, statBits, WIDE_NAME } from './entry-stat.ts';
import { type FolderRuleTexts, isEmpty } from './folder-rules.ts';
import {
  type ColumnSizes,
  firstFolderFrom,
  type IndexColumns,
  MAX_RESTAMPED,
  NOT_RESTAMPED,
  newColumns,
  newStamp,
  type Restamped,
  type Stamp,
} from './index-columns.ts';
import type { ScanIndex } from './scan-index.ts';

/** Columns to copy from, with the rules of their folders: an earlier index, or a worker's part. */
export interface CopySource {
  readonly columns: IndexColumns;
  readonly rules: ReadonlyMap<number, FolderRuleTexts>;
}

export interface BuiltIndex extends CopySource {
  readonly restamped: Restamped;
}

/** For a builder that cannot know how many entries there will be. */
const FEW: ColumnSizes = { entries: 0, folders: 0, nameBytes: 0 };
/** Room beyond the expected size, so that a few more entries do not cost a copy. */
const MORE_ENTRIES = 1024;
const MORE_NAME_BYTES = 64 * 1024;

/** Collects the entries of an index in their order: new ones one by one, known ones as ranges. */
export class IndexBuilder {
  readonly rules: Map<number, FolderRuleTexts> = new Map();
  #folders = 1;
  readonly #own = ownUid();
  readonly #stats: GrowingColumn<Float64Array>;
  readonly #bits: GrowingColumn<Uint32Array>;
  readonly #parent: GrowingColumn<Uint32Array>;
  readonly #nameEnd: GrowingColumn<Uint32Array>;
  readonly #names: GrowingNames;

  constructor(expected: ColumnSizes = FEW) {
    const capacity = expected.entries + MORE_ENTRIES;
    const numbers = () => new GrowingColumn((length) => new Uint32Array(length), capacity);
    this.#stats = new GrowingColumn((length) => new Float64Array(length), capacity * 4);
    this.#bits = numbers();
    this.#parent = numbers();
    this.#nameEnd = numbers();
    this.#names = new GrowingNames(expected.nameBytes + MORE_NAME_BYTES);
  }

  get count(): number {
    return this.#bits.length;
  }

  /** Adds an entry to a folder. If it is a folder itself, returns its number, otherwise -1. */
  add(parent: number, name: string, stat: EntryStat, flags: number): number {
    const bits = statBits(stat, this.#own);
    this.#stats.push(stat.mtimeMs);
    this.#stats.push(stat.ctimeMs);
    this.#stats.push(stat.ino);
    this.#stats.push(stat.size);
    this.#bits.push(bits | flags | (this.#names.appendName(name) ? 0 : WIDE_NAME));
    this.#parent.push(parent);
    this.#nameEnd.push(this.#names.length);
    return isDirectoryMode(bits) ? this.#newFolder() : -1;
  }

  /** Gives an entry that was copied another stamp. */
  restamp(entry: number, { stat, bits }: Stamp): void {
    this.#stats.set(entry * 4, [stat.mtimeMs, stat.ctimeMs, stat.ino, stat.size]);
    this.#bits.set(entry, [bits]);
  }

  /**
   * Copies a range of entries as they are. `folders` maps the source's folder numbers to the builder's.
   * It must have the folders that the range is in; those within the range are added to it.
   */
  copy(source: CopySource, from: number, to: number, folders: Uint32Array): void {
    const { columns } = source;
    this.#stats.append(columns.stats.subarray(from * 4, to * 4));
    this.#bits.append(columns.bits.subarray(from, to));
    const namesFrom = from === 0 ? 0 : (columns.nameEnd[from - 1] as number);
    const namesTo = to === 0 ? 0 : (columns.nameEnd[to - 1] as number);
    const shift = this.#names.length - namesFrom;
    this.#names.append(columns.names.subarray(namesFrom, namesTo));
    let folder = firstFolderFrom(columns, from);
    for (let entry = from; entry < to; entry += 1) {
      this.#parent.push(folders[columns.parent[entry] as number] as number);
      this.#nameEnd.push((columns.nameEnd[entry] as number) + shift);
      if (!isDirectoryMode(columns.bits[entry] as number)) continue;
      folders[folder] = this.#newFolder();
      this.setRules(folders[folder] as number, source.rules.get(folder));
      folder += 1;
    }
  }

  setRules(folder: number, rules: FolderRuleTexts | undefined): void {
    if (rules !== undefined && !isEmpty(rules)) this.rules.set(folder, rules);
  }

  finish(): BuiltIndex {
    const columns = newColumns({
      entries: this.count,
      folders: this.#folders,
      nameBytes: this.#names.length,
    });
    this.#stats.copyTo(columns.stats);
    this.#bits.copyTo(columns.bits);
    this.#parent.copyTo(columns.parent);
    this.#nameEnd.copyTo(columns.nameEnd);
    this.#names.copyTo(columns.names);
    markFolders(columns);
    return { columns, rules: this.rules, restamped: NOT_RESTAMPED };
  }

  #newFolder(): number {
    this.#folders += 1;
    return this.#folders - 1;
  }
}

/** Fills in where folders begin and end, which follows from the order of the entries and their parents. */
function markFolders({ bits, parent, folderEntry, folderEnd, sizes }: IndexColumns): void {
  const open = [0];
  let folders = 1;
  for (let entry = 0; entry < sizes.entries; entry += 1) {
    while (open[open.length - 1] !== parent[entry]) folderEnd[open.pop() as number] = entry;
    if (!isDirectoryMode(bits[entry] as number)) continue;
    folderEntry[folders] = entry;
    open.push(folders);
    folders += 1;
  }
  for (const folder of open) folderEnd[folder] = sizes.entries;
}

/**
 * The next index while it is made from the previous one. Known entries are copied as late as possible and
 * in ranges as large as possible; where no name changes and few stats do, nothing is copied at all.
 */
export class CarriedIndex {
  readonly builder: IndexBuilder;
  readonly #index: ScanIndex;
  readonly #source: CopySource;
  /** From folder numbers of the previous index to those of the new one. */
  readonly #folders: Uint32Array;
  /** Entries of the previous index that come next and are not copied yet. */
  #kept: { readonly from: number; to: number } = { from: 0, to: 0 };
  /** Entries of the previous index with another stamp than its columns have. */
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
  replace(entry: number, stat: EntryStat, flags: number): void {
    this.keep(entry, entry + 1);
    this.#restamped.set(entry, newStamp(this.#index.bits(entry), stat, flags));
    this.#isRestamped = true;
  }

  /** The number in the new index of a known folder to which the next entry will be added. */
  folderOf(known: number): number {
    this.#copyKept();
    return this.#folders[known] as number;
  }

  /** Notes the new number of a known folder that was added as a new entry. */
  placeFolder(known: number, folder: number): void {
    this.#folders[known] = folder;
  }

  /** Null when the new index would equal the previous one, including its root's rules. */
  finish(): BuiltIndex | null {
    const isWhole = this.builder.count === 0 && this.count === this.#index.count;
    const keepsRules = this.builder.rules.get(0) === this.#index.meta.rules.get(0);
    if (!isWhole || !keepsRules) return this.finishAnew();
    if (!this.#isRestamped) return null;
    if (this.#restamped.size > MAX_RESTAMPED) return this.finishAnew();
    return { ...this.#source, restamped: this.#restamped };
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

/** A typed array that grows at its end. It takes no memory while it is empty. */
class GrowingColumn<Kind extends Float64Array | Uint32Array | Uint8Array> {
  length = 0;
  protected values: Kind;
  readonly #make: (length: number) => Kind;
  readonly #firstCapacity: number;

  constructor(make: (length: number) => Kind, firstCapacity: number) {
    this.#make = make;
    this.#firstCapacity = firstCapacity;
    this.values = make(0);
  }

  push(value: number): void {
    if (this.length === this.values.length) this.reserve(this.length + 1);
    this.values[this.length] = value;
    this.length += 1;
  }

  set(at: number, values: ArrayLike<number>): void {
    this.values.set(values, at);
  }

  append(added: ArrayLike<number>): void {
    this.reserve(this.length + added.length);
    this.values.set(added, this.length);
    this.length += added.length;
  }

  copyTo(target: Kind | Uint8Array): void {
    target.set(this.values.subarray(0, this.length));
  }

  protected reserve(length: number): void {
    if (length <= this.values.length) return;
    const capacity = Math.max(length, this.values.length * 2, this.#firstCapacity);
    const larger = this.#make(capacity);
    larger.set(this.values.subarray(0, this.length));
    this.values = larger;
  }
}

/** The longest name that a file system gives us, with some room. */
const NAME_ROOM = 4096;

class GrowingNames extends GrowingColumn<Buffer> {
  constructor(firstCapacity: number) {
    super((length) => Buffer.allocUnsafeSlow(length), firstCapacity);
  }

  /** Returns whether the name is plain ASCII. */
  appendName(name: string): boolean {
    this.reserve(this.length + NAME_ROOM);
    const written = this.values.write(name, this.length);
    if (written === name.length || name.isWellFormed()) this.length += written;
    else this.append(pathToBytes(name));
    return written === name.length;
  }
}
