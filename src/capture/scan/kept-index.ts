import { IndexFile } from './index-file.ts';
import type { ScanIndex } from './scan-index.ts';
import { differInStatsOnly } from './stats-only.ts';

/** An index that is complete, and what it came from. */
export interface NewIndex {
  readonly index: ScanIndex;
  /** The one that the scan compared with, which `find` gave; null where there was none. */
  readonly previous: ScanIndex | null;
  /** How many files had another stat. */
  readonly touched: number;
  /** Whether something is on record now that a scan from the previous index would tell otherwise. */
  readonly urgent: boolean;
}

/** So many files may be looked at once more by a process that finds an older index. */
const MAX_STALE = 256;

/**
 * The stat index between scans: in memory for the next scan of this process, in a file for the next
 * process. Writing the file takes longer than most of what a scan finds is worth, so where only stats
 * moved it waits until there are more, or until the end. Should the process die before, the next one
 * looks at those files again and finds them as they are on record.
 */
export class KeptIndex {
  readonly #file: IndexFile | null;
  #index: ScanIndex | null = null;
  /** Files of which the file may not know the latest stat. */
  #stale = 0;

  constructor(path: string | null) {
    this.#file = path === null ? null : new IndexFile(path);
  }

  /** Our own, or one that another process left. */
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

  /** Leaves the index to the next process, unless another one has left something newer. */
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
      // No room, or no folder any more: it is a cache, and everything else is on record.
    }
  }
}

function isNewer(found: ScanIndex | null, than: ScanIndex): boolean {
  if (found === null || found.stamp.storeId !== than.stamp.storeId) return false;
  return found.stamp.seq >= than.stamp.seq;
}
