import type { TrackedPath } from '../../model/path.ts';

/** How what is in scope now differs from the previous index. Each path is in one list at most. */
export interface ScanDifferences {
  /**
   * In both indices, and its content may have changed: the stat moved, or proved nothing. A folder only
   * when its mode changed or it was something else before, since its names are told by the other lists.
   */
  readonly touched: TrackedPath[];
  /** In scope now, and known not to have been there before: really new. */
  readonly appeared: TrackedPath[];
  /** In scope now, but the previous scan could not have seen it: not a creation. */
  readonly entered: TrackedPath[];
  /** Was in the index and is not on disk. */
  readonly gone: TrackedPath[];
  /** Was in the index, is on disk, but is ignored now: not a deletion. */
  readonly left: TrackedPath[];
  /**
   * Folders that could not be read, or not wholly; and names in the root at which we may not look, as it
   * has no path itself. What was known there stays in the index as it was. May also be in another list.
   */
  readonly unreadable: TrackedPath[];
}

export function noDifferences(): ScanDifferences {
  return { touched: [], appeared: [], entered: [], gone: [], left: [], unreadable: [] };
}
