import { isOutside, nameOf, type TrackedPath } from '../../model/path.ts';
import { type GlobalRules, type IgnoreScope, rootScope } from '../ignore/index.ts';
import type { IndexColumns } from './columns.ts';
import { EntryPaths } from './entry-paths.ts';
import { type EntryStat, isDirectoryMode, MODE_MASK, RACY, UNREADABLE } from './entry-stat.ts';
import { type FolderRuleTexts, NO_RULE_TEXTS, parseRules } from './folder-rules.ts';
import { compareText } from './name-order.ts';

/** What an index was true for: a store, and the last sequence number that the scan's changes got. */
export interface IndexStamp {
  readonly storeId: string;
  readonly seq: number;
  /** Paths at which a tool was at work: what it made of them goes on record without a new number. */
  readonly open: readonly TrackedPath[];
}

export const UNSTAMPED: IndexStamp = { storeId: '', seq: 0, open: [] };

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
  readonly columns: IndexColumns;
  readonly meta: IndexMeta;
  #paths: EntryPaths | undefined;
  readonly #scopes: (IgnoreScope | undefined)[] = [];

  constructor(columns: IndexColumns, meta: IndexMeta) {
    this.columns = columns;
    this.meta = meta;
  }

  get stamp(): IndexStamp {
    return this.meta.stamp;
  }

  get count(): number {
    return this.columns.sizes.entries;
  }

  /** The same index, said to be true for another moment of the timeline. */
  stamped(stamp: IndexStamp): ScanIndex {
    return new ScanIndex(this.columns, { ...this.meta, stamp });
  }

  path(entry: number): TrackedPath {
    return this.paths.path(entry);
  }

  /** All of `st_mode`. */
  mode(entry: number): number {
    return (this.columns.bits[entry] as number) & MODE_MASK;
  }

  isDirectory(entry: number): boolean {
    return isDirectoryMode(this.columns.bits[entry] as number);
  }

  isRacy(entry: number): boolean {
    return ((this.columns.bits[entry] as number) & RACY) !== 0;
  }

  stat(entry: number): EntryStat {
    const { ino, size, mtimeNs, ctimeNs } = this.columns;
    return {
      mode: this.mode(entry),
      ino: BigInt.asUintN(64, ino[entry] as bigint),
      size: Number(size[entry]),
      mtimeNs: mtimeNs[entry] as bigint,
      ctimeNs: ctimeNs[entry] as bigint,
      racy: this.isRacy(entry),
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
    const bits = this.columns.bits[this.columns.folderEntry[folder] as number] as number;
    return (bits & UNREADABLE) !== 0;
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
    this.#paths ??= new EntryPaths(this.columns);
    return this.#paths;
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
