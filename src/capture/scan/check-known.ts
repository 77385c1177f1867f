import { type EntryPaths, type IndexColumns, isSettled, stampAt } from './columns.ts';
import type { ScanControl } from './control.ts';
import { bareStat, MODE_MASK, RACY, type RawStat } from './entry-stat.ts';
import { isUnreadable, type QuickStat, type ScanFileSystem } from './file-system.ts';
import type { ScanIndex } from './scan-index.ts';

/** A known entry whose stat is not the known one, or cannot be trusted. */
export type EntryNews =
  | { readonly entry: number; readonly kind: 'moved'; readonly stat: RawStat }
  | { readonly entry: number; readonly kind: 'missing' | 'failed' };

export interface KnownCheck {
  readonly root: string;
  readonly columns: IndexColumns;
  readonly paths: EntryPaths;
  readonly fileSystem: ScanFileSystem;
  readonly control: ScanControl;
}

/** Small enough that threads end together, large enough that a chunk stays within few folders. */
const CHUNK = 1024;

/**
 * Looks at every known entry and returns the ones that are not as the columns say. Threads that share a
 * control share the work, chunk by chunk.
 */
export function checkKnown(check: KnownCheck): EntryNews[] {
  const news: EntryNews[] = [];
  const quick = new QuickCheck(check.columns);
  const { entries } = check.columns.sizes;
  for (let at = check.control.takeChunk() * CHUNK; at < entries; ) {
    checkRange(check, quick, { from: at, to: Math.min(at + CHUNK, entries) }, news);
    at = check.control.takeChunk() * CHUNK;
  }
  return news;
}

function checkRange(
  { root, columns, control, fileSystem, paths }: KnownCheck,
  quick: QuickCheck,
  { from, to }: { readonly from: number; readonly to: number },
  news: EntryNews[],
): void {
  let folder = -1;
  let prefix = '';
  for (let entry = from; entry < to; entry += 1) {
    control.check();
    const parent = columns.parent[entry] as number;
    if (parent !== folder) {
      folder = parent;
      prefix = `${root}/${paths.folderPrefix(folder)}`;
    }
    try {
      const path = prefix + paths.name(entry);
      const look = fileSystem.quickLstat(path);
      if (look !== null && quick.isSettled(entry, look)) continue;
      const stat = look && fileSystem.lstat(path);
      if (stat === null) news.push({ entry, kind: 'missing' });
      else if (!isSettled(stampAt(columns, entry), stat)) news.push(moved(entry, stat));
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      news.push({ entry, kind: 'failed' });
    }
  }
}

/**
 * Puts the news about all entries of an index together. Entries with a newer stamp than their columns
 * have are looked at here once more, because `checkKnown` compares with the columns.
 */
export function newsAbout(
  { restamped, paths }: Pick<ScanIndex, 'restamped' | 'paths'>,
  byColumns: readonly (readonly EntryNews[])[],
  { root, fileSystem, control }: Pick<KnownCheck, 'root' | 'fileSystem' | 'control'>,
): Map<number, EntryNews> {
  const news = new Map<number, EntryNews>();
  for (const part of byColumns) for (const one of part) news.set(one.entry, one);
  for (const [entry, stamp] of restamped) {
    control.check();
    try {
      const stat = fileSystem.lstat(`${root}/${paths.path(entry)}`);
      if (stat === null) news.set(entry, { entry, kind: 'missing' });
      else if (isSettled(stamp, stat)) news.delete(entry);
      else news.set(entry, moved(entry, stat));
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      news.set(entry, { entry, kind: 'failed' });
    }
  }
  return news;
}

function moved(entry: number, stat: RawStat): EntryNews {
  return { entry, kind: 'moved', stat: bareStat(stat) };
}

/** More than the precision that a time loses as a double, twice. */
const TOLERANCE_NS = 1_000;
const MILLISECOND_NS = 1e6;
const UPPER_HALF = 2 ** 32;

/**
 * Compares entries with stats in plain numbers, without making a bigint. An entry that it calls settled is
 * settled; any other needs an exact look.
 *
 * Times that differ by less than a microsecond count as equal. That is safe: the stamp of an entry that is
 * not racy is at least a tick older than the scan that saw it, so any later change moved its ctime (which
 * no program can set) by far more.
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

/**
 * A value of the column, rounded as the numbers of `lstat` are. Assumes that the lower half comes first;
 * on another machine no entry would be settled, and all would get the exact look.
 */
function valueAt(halves: Uint32Array, entry: number): number {
  return (halves[entry * 2 + 1] as number) * UPPER_HALF + (halves[entry * 2] as number);
}

function isNear(milliseconds: number, nanoseconds: number): boolean {
  return Math.abs(milliseconds * MILLISECOND_NS - nanoseconds) < TOLERANCE_NS;
}
