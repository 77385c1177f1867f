import { ownUid } from '../../fs/entries.ts';
import { bytesToPath, type TrackedPath } from '../../model/path.ts';
import { bareStat, type EntryStat, MODE_MASK, RACY, statBits, WIDE_NAME } from './entry-stat.ts';

/** The number of bytes before the first column in a file. A multiple of 8, so that columns are aligned. */
export const HEADER_BYTES = 32;

export interface ColumnSizes {
  readonly entries: number;
  /** The root and every folder below it. */
  readonly folders: number;
  readonly nameBytes: number;
}

/**
 * The columns of an index: views of one shared buffer. Worker threads read it without a copy, and it is
 * written to a file as it is. Folders are numbered in the order of their entries; number 0 is the root,
 * which has no entry.
 */
export interface IndexColumns {
  readonly sizes: ColumnSizes;
  readonly bytes: Uint8Array;
  /** Four numbers for each entry: mtime and ctime in milliseconds, inode, size. */
  readonly stats: Float64Array;
  /** `st_mode` in the low 16 bits, flags of the scan above. */
  readonly bits: Uint32Array;
  /** The number of the folder that an entry is in. */
  readonly parent: Uint32Array;
  /** Where an entry's name ends in `names`; it begins where the previous one ends. */
  readonly nameEnd: Uint32Array;
  /** The entry of a folder; 0 and without meaning for the root. */
  readonly folderEntry: Uint32Array;
  /** The entry after the last one below a folder. */
  readonly folderEnd: Uint32Array;
  readonly names: Uint8Array;
}

export function columnsLength({ entries, folders, nameBytes }: ColumnSizes): number {
  const unpadded = HEADER_BYTES + entries * (4 * 8 + 3 * 4) + folders * 2 * 4 + nameBytes;
  return Math.ceil(unpadded / 8) * 8;
}

export function newColumns(sizes: ColumnSizes): IndexColumns {
  return viewColumns(new SharedArrayBuffer(columnsLength(sizes)), sizes);
}

export function viewColumns(buffer: ArrayBufferLike, sizes: ColumnSizes): IndexColumns {
  const { entries, folders, nameBytes } = sizes;
  let at = HEADER_BYTES;
  const next = (bytes: number): number => {
    at += bytes;
    return at - bytes;
  };
  return {
    sizes,
    bytes: new Uint8Array(buffer, 0, columnsLength(sizes)),
    stats: new Float64Array(buffer, next(entries * 4 * 8), entries * 4),
    bits: new Uint32Array(buffer, next(entries * 4), entries),
    parent: new Uint32Array(buffer, next(entries * 4), entries),
    nameEnd: new Uint32Array(buffer, next(entries * 4), entries),
    folderEntry: new Uint32Array(buffer, next(folders * 4), folders),
    folderEnd: new Uint32Array(buffer, next(folders * 4), folders),
    names: new Uint8Array(buffer, next(nameBytes), nameBytes),
  };
}

/** The number of the first folder whose entry is at or after `entry`. */
export function firstFolderFrom({ folderEntry, sizes }: IndexColumns, entry: number): number {
  let low = 1;
  let high = sizes.folders;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((folderEntry[middle] as number) < entry) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What an index says about one entry: its stat, and its mode again together with the flags. */
export interface Stamp {
  readonly stat: EntryStat;
  readonly bits: number;
}

/** Entries with a newer stamp than their columns have. */
export type Restamped = ReadonlyMap<number, Stamp>;

export const NOT_RESTAMPED: Restamped = new Map();

/** With more than this, columns are made anew, because every scan looks at a restamped entry twice. */
export const MAX_RESTAMPED = 1_000;

/** The stamp for a new look at an entry. Of the old flags only the one about its name stays. */
export function newStamp(before: number, stat: EntryStat, flags: number): Stamp {
  const bits = statBits(stat, ownUid()) | flags | (before & WIDE_NAME);
  // Whose it is, is one of the bits.
  const { uid: _uid, ...rest } = bareStat(stat);
  return { stat: rest, bits };
}

export function stampAt({ stats, bits: allBits }: IndexColumns, entry: number): Stamp {
  const bits = allBits[entry] as number;
  const stat: EntryStat = {
    mode: bits & MODE_MASK,
    mtimeMs: stats[entry * 4] as number,
    ctimeMs: stats[entry * 4 + 1] as number,
    ino: stats[entry * 4 + 2] as number,
    size: stats[entry * 4 + 3] as number,
  };
  return { stat, bits };
}

/** Whether an entry is as it was, and its stat can be trusted to say so. */
export function isSettled({ stat: was, bits }: Stamp, now: EntryStat): boolean {
  return (bits & RACY) === 0 && was.mode === now.mode && isSameStat(was, now);
}

/** Whether two stats are of the same file, not written to in between. The modes may differ. */
export function isSameStat(a: EntryStat, b: EntryStat): boolean {
  return a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.ino === b.ino && a.size === b.size;
}

/** As `isSettled`, without making a stamp: it is called for every entry. */
export function isSettledAt({ stats, bits }: IndexColumns, entry: number, now: EntryStat): boolean {
  const known = bits[entry] as number;
  return (
    (known & RACY) === 0 &&
    stats[entry * 4] === now.mtimeMs &&
    stats[entry * 4 + 1] === now.ctimeMs &&
    stats[entry * 4 + 2] === now.ino &&
    stats[entry * 4 + 3] === now.size &&
    (known & MODE_MASK) === now.mode
  );
}

const madeBefore = new WeakMap<IndexColumns, EntryPaths>();

/** All indices that share their columns share this too. */
export function pathsIn(columns: IndexColumns): EntryPaths {
  const paths = madeBefore.get(columns) ?? new EntryPaths(columns);
  madeBefore.set(columns, paths);
  return paths;
}

/** Gives the names and paths of entries, without an object for each entry. */
export class EntryPaths {
  readonly #columns: IndexColumns;
  /** All names as one text: to cut a plain name from it is cheaper than to decode its bytes. */
  readonly #plain: string;
  readonly #prefixes: (string | undefined)[] = [''];

  constructor(columns: IndexColumns) {
    this.#columns = columns;
    const { buffer, byteOffset, length } = columns.names;
    this.#plain = Buffer.from(buffer, byteOffset, length).toString('latin1');
  }

  name(entry: number): string {
    const { nameEnd, bits, names } = this.#columns;
    const start = entry === 0 ? 0 : (nameEnd[entry - 1] as number);
    const end = nameEnd[entry] as number;
    if (((bits[entry] as number) & WIDE_NAME) === 0) return this.#plain.slice(start, end);
    // A copy, because decoders refuse shared memory.
    return bytesToPath(names.slice(start, end));
  }

  path(entry: number): TrackedPath {
    const prefix = this.folderPrefix(this.#columns.parent[entry] as number);
    return (prefix + this.name(entry)) as TrackedPath;
  }

  /** A folder's path with "/" at its end; empty for the root. */
  folderPrefix(folder: number): string {
    const known = this.#prefixes[folder];
    if (known !== undefined) return known;
    const { folderEntry, parent } = this.#columns;
    const entry = folderEntry[folder] as number;
    // The recursion is not deep: the longest path that can be looked at has 2,048 folders.
    const prefix = `${this.folderPrefix(parent[entry] as number)}${this.name(entry)}/`;
    this.#prefixes[folder] = prefix;
    return prefix;
  }
}
