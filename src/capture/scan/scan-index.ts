import type { Change } from '../../model/change.ts';
import { isOutside, nameOf, type TrackedPath } from '../../model/path.ts';
import { type GlobalRules, type IgnoreScope, rootScope } from '../ignore/index.ts';
import { copyColumns, type IndexColumns } from './columns.ts';
import { type EntryPaths, pathsIn } from './entry-paths.ts';
import { type EntryStat, isDirectoryMode, MODE_MASK, RACY, UNREADABLE } from './entry-stat.ts';
import { type FolderRuleTexts, NO_RULE_TEXTS, parseRules } from './folder-rules.ts';
import { compareText } from './name-order.ts';
import { NOT_RESTAMPED, type Restamped, type Stamp, setStamp, stampAt } from './restamped.ts';

/** What an index was true for: a store, and the last sequence number that the scan's changes got. */
export interface IndexStamp {
  readonly storeId: string;
  readonly seq: number;
  /** Paths at which a tool was at work: what it made of them goes on record without a new number. */
  readonly open: readonly TrackedPath[];
  /** The newest change on record when the index was kept; null where there was none. */
  readonly newest: RecordedChange | null;
}

/** What tells a change from another one that got its number after a damaged log had cost the store commits. */
export type RecordedChange = Pick<Change, 'seq' | 'path' | 'createdAt'>;

export const UNSTAMPED: IndexStamp = { storeId: '', seq: 0, open: [], newest: null };

export interface IndexMeta {
  readonly stamp: IndexStamp;
  readonly global: GlobalRules;
  /** By folder number. Folders without rules are not listed. */
  readonly rules: ReadonlyMap<number, FolderRuleTexts>;
  /** Whether there are names in the root at which we may not look; the root has no entry to say so. */
  readonly partialRoot: boolean;
}

/**
 * What a scan found: every entry in scope below the root, in the order of git's index (bytes of the full
 * path, a folder's followed by "/"). A folder is directly followed by everything below it. Never changed
 * once made.
 */
export class ScanIndex {
  /** Shared with earlier indices that have the same names; what differs in stats is beside them. */
  readonly columns: IndexColumns;
  readonly meta: IndexMeta;
  readonly restamped: Restamped;
  readonly #scopes: (IgnoreScope | undefined)[] = [];

  constructor(columns: IndexColumns, meta: IndexMeta, restamped: Restamped = NOT_RESTAMPED) {
    this.columns = columns;
    this.meta = meta;
    this.restamped = restamped;
  }

  get stamp(): IndexStamp {
    return this.meta.stamp;
  }

  get count(): number {
    return this.columns.sizes.entries;
  }

  /** The same index, said to be true for another moment of the timeline. */
  stamped(stamp: IndexStamp): ScanIndex {
    return new ScanIndex(this.columns, { ...this.meta, stamp }, this.restamped);
  }

  /** Columns that say all of it. */
  wholeColumns(): IndexColumns {
    if (this.restamped.size === 0) return this.columns;
    const columns = copyColumns(this.columns);
    for (const [entry, stamp] of this.restamped) setStamp(columns, entry, stamp);
    return columns;
  }

  path(entry: number): TrackedPath {
    return this.paths.path(entry);
  }

  stampOf(entry: number): Stamp {
    return this.restamped.get(entry) ?? stampAt(this.columns, entry);
  }

  bits(entry: number): number {
    return this.restamped.get(entry)?.bits ?? (this.columns.bits[entry] as number);
  }

  /** All of `st_mode`. */
  mode(entry: number): number {
    return this.bits(entry) & MODE_MASK;
  }

  isDirectory(entry: number): boolean {
    return isDirectoryMode(this.columns.bits[entry] as number);
  }

  isRacy(entry: number): boolean {
    return (this.bits(entry) & RACY) !== 0;
  }

  stat(entry: number): EntryStat {
    const { stat, bits } = this.stampOf(entry);
    return {
      mode: bits & MODE_MASK,
      ino: BigInt.asUintN(64, stat.ino),
      size: Number(stat.size),
      mtimeNs: stat.mtimeNs,
      ctimeNs: stat.ctimeNs,
      racy: (bits & RACY) !== 0,
    };
  }

  /** The entry of a path, or -1. */
  find(path: TrackedPath): number {
    // Where a path stands in the order depends on whether it is a folder.
    const entry = this.#search(path);
    return entry === -1 ? this.#search(`${path}/`) : entry;
  }

  /**
   * Whether the scan would have found something at this path, so that "not in the index" means "was not
   * there". It looked at the folder and no rule hid the name; or it saw that a folder on the way was not
   * there, and then nothing can have been below it, whatever the rules say.
   */
  covers(path: TrackedPath): boolean {
    if (isOutside(path)) return false;
    let folder = 0;
    for (let slash = path.indexOf('/'); ; slash = path.indexOf('/', slash + 1)) {
      const part = (slash === -1 ? path : path.slice(0, slash)) as TrackedPath;
      const entry = this.find(part);
      if (entry === -1) return this.#coversName(folder, nameOf(part), slash !== -1);
      if (slash === -1 || !this.isDirectory(entry)) return true;
      folder = this.folderOf(entry);
    }
  }

  /** The number of the folder whose entry this is. */
  folderOf(entry: number): number {
    const { folderEntry, sizes } = this.columns;
    let low = 1;
    let high = sizes.folders - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((folderEntry[middle] as number) < entry) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  isUnreadable(folder: number): boolean {
    if (folder === 0) return this.meta.partialRoot;
    return (this.bits(this.columns.folderEntry[folder] as number) & UNREADABLE) !== 0;
  }

  rulesOf(folder: number): FolderRuleTexts {
    return this.meta.rules.get(folder) ?? NO_RULE_TEXTS;
  }

  /** The rules that this scan applied to the names in a folder. */
  scopeOf(folder: number): IgnoreScope {
    const { folderEntry, parent } = this.columns;
    const missing: number[] = [];
    let at = folder;
    while (at !== 0 && this.#scopes[at] === undefined) {
      missing.push(at);
      at = parent[folderEntry[at] as number] as number;
    }
    let scope = this.#scopes[at] ?? rootScope(this.meta.global, parseRules(this.rulesOf(0)));
    this.#scopes[at] = scope;
    for (let next = missing.pop(); next !== undefined; next = missing.pop()) {
      const name = this.paths.name(folderEntry[next] as number);
      scope = scope.enter(name, parseRules(this.rulesOf(next)));
      this.#scopes[next] = scope;
    }
    return scope;
  }

  get paths(): EntryPaths {
    return pathsIn(this.columns);
  }

  #coversName(folder: number, name: string, onTheWay: boolean): boolean {
    if (this.isUnreadable(folder)) return false;
    return onTheWay
      ? !this.scopeOf(folder).ignores(name, true)
      : !hidesName(this.scopeOf(folder), name);
  }

  #search(key: string): number {
    let low = 0;
    let high = this.count - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const path = this.path(middle);
      const order = compareText(this.isDirectory(middle) ? `${path}/` : path, key);
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }
}

/** Whether something of this name, a file or a folder, may have been there without being seen. */
export function hidesName(scope: IgnoreScope, name: string): boolean {
  return scope.ignores(name, false) || scope.ignores(name, true);
}
