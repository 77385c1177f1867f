import { UNREADABLE } from './entry-stat.ts';
import { IndexFile } from './index-file.ts';
import type { ScanIndex } from './scan-index.ts';

/** The index of a scan that is on record, and what it came from. */
export interface NewIndex {
  readonly index: ScanIndex;
  /** The index that the scan compared with, from `find`; null where there was none. */
  readonly previous: ScanIndex | null;
  /** How many files had another stat. */
  readonly touched: number;
  /** Whether a scan that starts from the previous index would now draw a wrong conclusion. */
  readonly urgent: boolean;
}

/** How many files a process with an older index may have to read once more. */
const MAX_STALE = 256;

/**
 * Keeps the stat index between scans: in memory for the next scan of this process, in a file for the next
 * process. To write the file takes longer than to read a few files again. So where only stats moved, the
 * file is written when many did, or at the end. If the process dies before, the next one reads those files
 * again and finds them as they are on record.
 */
export class KeptIndex {
  readonly #file: IndexFile | null;
  #index: ScanIndex | null = null;
  /** How many files have a newer stat than the file may have. */
  #stale = 0;

  constructor(path: string | null) {
    this.#file = path === null ? null : new IndexFile(path);
  }

  /** The index of this process, or one that another process left. */
  find(fits: (index: ScanIndex) => boolean): ScanIndex | null {
    if (this.#index !== null && fits(this.#index)) return this.#index;
    const found = this.#loaded();
    this.#stale = 0;
    return found !== null && fits(found) ? found : null;
  }

  keep({ index, previous, touched, urgent }: NewIndex): void {
    this.#index = index;
    this.#stale += touched;
    const mayWait = !urgent && previous !== null && differInStatsOnly(previous, index);
    if (!mayWait || this.#stale > MAX_STALE || !this.#isFileOurs()) this.#save();
  }

  /** Leaves the index to the next process, unless another process has left a newer one. */
  close(): void {
    if (this.#index === null) return;
    const isOlder = this.#isFileOurs() ? this.#stale > 0 : !isNewer(this.#loaded(), this.#index);
    if (isOlder) this.#save();
  }

  #loaded(): ScanIndex | null {
    return this.#file?.load() ?? null;
  }

  #isFileOurs(): boolean {
    return this.#file?.isAsSeen() ?? true;
  }

  #save(): void {
    this.#stale = 0;
    try {
      if (this.#index !== null) this.#file?.save(this.#index);
    } catch {
      // The disk is full, or the folder is gone. The file is only a cache.
    }
  }
}

/**
 * Whether a scan from either index gives the same differences, except that one of them lists files again
 * whose stat moved in between. Indices with the same names and rules share their columns. A folder that
 * became readable or unreadable is more than another stat.
 */
function differInStatsOnly(a: ScanIndex, b: ScanIndex): boolean {
  if (a.columns !== b.columns) return false;
  return [...a.restamped.keys(), ...b.restamped.keys()].every(
    (entry) => (a.bits(entry) & UNREADABLE) === (b.bits(entry) & UNREADABLE),
  );
}

function isNewer(found: ScanIndex | null, than: ScanIndex): boolean {
  if (found === null || found.stamp.storeId !== than.stamp.storeId) return false;
  return found.stamp.seq >= than.stamp.seq;
}
