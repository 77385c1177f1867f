/** The number of bytes before the first column in a file. A multiple of 8, so that columns are aligned. */
export const HEADER_BYTES = 32;

export interface ColumnSizes {
  readonly entries: number;
  /** The root and every folder below it. */
  readonly folders: number;
  readonly nameBytes: number;
}

/**
 * The columns of an index: views of one shared buffer, which worker threads read without copying and
 * which is written to a file as it is. Folders are numbered in the order of their entries; number 0 is
 * the root, which has no entry.
 */
export interface IndexColumns {
  readonly sizes: ColumnSizes;
  readonly bytes: Uint8Array;
  readonly mtimeNs: BigInt64Array;
  readonly ctimeNs: BigInt64Array;
  /** As Node gives it: signed, whatever the file system means. */
  readonly ino: BigInt64Array;
  readonly size: BigInt64Array;
  /** `st_mode` in the low 16 bits, flags of the scan above. */
  readonly bits: Uint32Array;
  /** The number of the folder that an entry is in. */
  readonly parent: Uint32Array;
  /** Where an entry's name ends among `names`; it begins where the previous one ends. */
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

let numbered = 0;
const numbers = new WeakMap<IndexColumns, number>();

/** By which other threads know columns again: what they get is a view of their own each time. */
export function numberOf(columns: IndexColumns): number {
  const number = numbers.get(columns) ?? numbered + 1;
  numbered = Math.max(numbered, number);
  numbers.set(columns, number);
  return number;
}

export function copyColumns({ sizes, bytes }: IndexColumns): IndexColumns {
  const copy = newColumns(sizes);
  copy.bytes.set(bytes);
  return copy;
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
    mtimeNs: new BigInt64Array(buffer, next(entries * 8), entries),
    ctimeNs: new BigInt64Array(buffer, next(entries * 8), entries),
    ino: new BigInt64Array(buffer, next(entries * 8), entries),
    size: new BigInt64Array(buffer, next(entries * 8), entries),
    bits: new Uint32Array(buffer, next(entries * 4), entries),
    parent: new Uint32Array(buffer, next(entries * 4), entries),
    nameEnd: new Uint32Array(buffer, next(entries * 4), entries),
    folderEntry: new Uint32Array(buffer, next(folders * 4), folders),
    folderEnd: new Uint32Array(buffer, next(folders * 4), folders),
    names: new Uint8Array(buffer, next(nameBytes), nameBytes),
  };
}
