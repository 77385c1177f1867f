import { pathToBytes } from '../../model/path.ts';
import { type ColumnSizes, type IndexColumns, newColumns } from './columns.ts';
import { isDirectoryMode, MODE_MASK, type RawStat, WIDE_NAME } from './entry-stat.ts';
import { type FolderRuleTexts, isEmpty } from './folder-rules.ts';
import { GrowingBytes, GrowingColumn } from './growing.ts';
import { NOT_RESTAMPED, type Restamped, type Stamp } from './restamped.ts';

/** Columns to copy from, with the rules of their folders: an earlier index, or what a worker found. */
export interface CopySource {
  readonly columns: IndexColumns;
  readonly rules: ReadonlyMap<number, FolderRuleTexts>;
}

export interface BuiltIndex {
  readonly columns: IndexColumns;
  readonly rules: ReadonlyMap<number, FolderRuleTexts>;
  readonly restamped: Restamped;
}

/** For where nobody knows how many there will be. */
const FEW: ColumnSizes = { entries: 0, folders: 0, nameBytes: 0 };
/** What is expected is met with a little room beyond, so that growing by a few copies nothing. */
const MORE_ENTRIES = 1024;
const MORE_NAME_BYTES = 64 * 1024;

/** Gathers the entries of an index in their order: new ones singly, known ones as ranges. */
export class IndexBuilder {
  readonly rules: Map<number, FolderRuleTexts> = new Map();
  #folders = 1;
  readonly #mtimeNs: GrowingColumn<bigint, BigInt64Array>;
  readonly #ctimeNs: GrowingColumn<bigint, BigInt64Array>;
  readonly #ino: GrowingColumn<bigint, BigInt64Array>;
  readonly #size: GrowingColumn<bigint, BigInt64Array>;
  readonly #bits: GrowingColumn<number, Uint32Array>;
  readonly #parent: GrowingColumn<number, Uint32Array>;
  readonly #nameEnd: GrowingColumn<number, Uint32Array>;
  readonly #names: GrowingBytes;

  constructor(expected: ColumnSizes = FEW) {
    const capacity = expected.entries + MORE_ENTRIES;
    this.#mtimeNs = new GrowingColumn(BigInt64Array, capacity);
    this.#ctimeNs = new GrowingColumn(BigInt64Array, capacity);
    this.#ino = new GrowingColumn(BigInt64Array, capacity);
    this.#size = new GrowingColumn(BigInt64Array, capacity);
    this.#bits = new GrowingColumn(Uint32Array, capacity);
    this.#parent = new GrowingColumn(Uint32Array, capacity);
    this.#nameEnd = new GrowingColumn(Uint32Array, capacity);
    this.#names = new GrowingBytes(expected.nameBytes + MORE_NAME_BYTES);
  }

  get count(): number {
    return this.#bits.length;
  }

  /** Adds an entry to a folder. Returns the number of the folder that it is, or -1. */
  add(parent: number, name: string, stat: RawStat, flags: number): number {
    const mode = Number(stat.mode) & MODE_MASK;
    this.#mtimeNs.push(stat.mtimeNs);
    this.#ctimeNs.push(stat.ctimeNs);
    this.#ino.push(stat.ino);
    this.#size.push(stat.size);
    this.#bits.push(mode | flags | (this.#addName(name) ? 0 : WIDE_NAME));
    this.#parent.push(parent);
    this.#nameEnd.push(this.#names.length);
    return isDirectoryMode(mode) ? this.#newFolder() : -1;
  }

  /** Gives an entry that was copied another stamp. */
  restamp(entry: number, { stat, bits }: Stamp): void {
    this.#mtimeNs.set(entry, stat.mtimeNs);
    this.#ctimeNs.set(entry, stat.ctimeNs);
    this.#ino.set(entry, stat.ino);
    this.#size.set(entry, stat.size);
    this.#bits.set(entry, bits);
  }

  /**
   * Copies a range of entries as they are. `folders` maps the source's folder numbers to the builder's;
   * it must know those that the range is in, and learns those that are in the range.
   */
  copy(source: CopySource, from: number, to: number, folders: Uint32Array): void {
    const { columns } = source;
    this.#mtimeNs.append(columns.mtimeNs.subarray(from, to));
    this.#ctimeNs.append(columns.ctimeNs.subarray(from, to));
    this.#ino.append(columns.ino.subarray(from, to));
    this.#size.append(columns.size.subarray(from, to));
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
    const entries = this.count;
    const folders = this.#folders;
    const columns = newColumns({ entries, folders, nameBytes: this.#names.length });
    this.#mtimeNs.copyTo(columns.mtimeNs);
    this.#ctimeNs.copyTo(columns.ctimeNs);
    this.#ino.copyTo(columns.ino);
    this.#size.copyTo(columns.size);
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

  /** Whether the name is plain ASCII. */
  #addName(name: string): boolean {
    const written = this.#names.appendText(name);
    if (written === name.length) return true;
    if (!name.isWellFormed()) {
      this.#names.length -= written;
      this.#names.append(pathToBytes(name));
    }
    return false;
  }
}

/** The number of the first folder whose entry is at or after `entry`. */
function firstFolderFrom({ folderEntry, sizes }: IndexColumns, entry: number): number {
  let low = 1;
  let high = sizes.folders;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((folderEntry[middle] as number) < entry) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Fills in where the folders begin and end, which the order of the entries and their parents say. */
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
