import { bytesToPath, type TrackedPath } from '../../model/path.ts';
import type { IndexColumns } from './columns.ts';
import { WIDE_NAME } from './entry-stat.ts';

const madeBefore = new WeakMap<IndexColumns, EntryPaths>();

/** One for all indices that share their columns. */
export function pathsIn(columns: IndexColumns): EntryPaths {
  const before = madeBefore.get(columns);
  if (before !== undefined) return before;
  const paths = new EntryPaths(columns);
  madeBefore.set(columns, paths);
  return paths;
}

/** Gives names and paths for the columns of an index, without an object for each entry. */
export class EntryPaths {
  readonly #columns: IndexColumns;
  /** All names as one text, from which plain names are cut: cheaper than decoding each. */
  readonly #plain: string;
  readonly #folderPaths: (string | undefined)[];

  constructor(columns: IndexColumns) {
    this.#columns = columns;
    this.#plain = Buffer.from(
      columns.names.buffer,
      columns.names.byteOffset,
      columns.names.length,
    ).toString('latin1');
    this.#folderPaths = [''];
  }

  name(entry: number): string {
    const { nameEnd, bits, names } = this.#columns;
    const start = entry === 0 ? 0 : (nameEnd[entry - 1] as number);
    const end = nameEnd[entry] as number;
    if (((bits[entry] as number) & WIDE_NAME) === 0) return this.#plain.slice(start, end);
    // Decoders take no shared memory.
    return bytesToPath(names.slice(start, end));
  }

  path(entry: number): TrackedPath {
    const prefix = this.folderPrefix(this.#columns.parent[entry] as number);
    return (prefix + this.name(entry)) as TrackedPath;
  }

  /** A folder's path with "/" at its end; empty for the root. */
  folderPrefix(folder: number): string {
    const known = this.#folderPaths[folder];
    return known ?? this.#makePrefix(folder);
  }

  // No recursion: folders may be nested thousands deep.
  #makePrefix(folder: number): string {
    const { folderEntry, parent } = this.#columns;
    const missing: number[] = [];
    let at = folder;
    while (this.#folderPaths[at] === undefined) {
      missing.push(at);
      at = parent[folderEntry[at] as number] as number;
    }
    let prefix = this.#folderPaths[at] as string;
    for (let entry = missing.pop(); entry !== undefined; entry = missing.pop()) {
      prefix = `${prefix}${this.name(folderEntry[entry] as number)}/`;
      this.#folderPaths[entry] = prefix;
    }
    return prefix;
  }
}
