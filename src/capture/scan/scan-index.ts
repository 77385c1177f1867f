import type { Change } from '../../model/change.ts';
import { isOutside, nameOf, pathToBytes, type TrackedPath } from '../../model/path.ts';
import { OTHERS } from '../../model/state.ts';
import {
  type GlobalRules,
  type IgnoreScope,
  isInScope,
  rootScope,
} from '../ignore/ignore-scope.ts';
import {
  isDirectoryMode,
  MODE_MASK,
  OTHERS_FLAG,
  PRIVATE,
  RACY,
  UNREADABLE,
} from './entry-stat.ts';
import { type FolderRuleTexts, NO_RULE_TEXTS, parseRules } from './folder-rules.ts';
import {
  type EntryPaths,
  firstFolderFrom,
  type IndexColumns,
  NOT_RESTAMPED,
  pathsIn,
  type Restamped,
  type Stamp,
  stampAt,
} from './index-columns.ts';

/** The moment of the timeline at which an index was true. */
export interface IndexStamp {
  /** The id of the baseline's list, which tells one store from another. */
  readonly storeId: string;
  /** The newest sequence number when the walk began. Paths recorded after it are looked at again. */
  readonly seq: number;
  /** Paths at which a tool was at work: the end of its change goes on record without a new number. */
  readonly open: readonly TrackedPath[];
  /** The newest change on record when the index was kept; null where there was none. */
  readonly newest: RecordedChange | null;
}

/** Identifies a change even where a damaged log lost commits and their numbers were given out again. */
export type RecordedChange = Pick<Change, 'seq' | 'path' | 'createdAt'>;

export const UNSTAMPED: IndexStamp = { storeId: '', seq: 0, open: [], newest: null };

export interface IndexMeta {
  readonly stamp: IndexStamp;
  readonly global: GlobalRules;
  /** By folder number. Folders without rules are not listed. */
  readonly rules: ReadonlyMap<number, FolderRuleTexts>;
  /** Names in the root for which `lstat` failed; the root has no entry to carry a flag. */
  readonly failedInRoot: readonly TrackedPath[];
}

/** A name that is not in the index, and the folder where it would be. */
interface Missing {
  readonly folder: number;
  readonly name: string;
  /** Whether it is a folder on the way to the path that was asked for. */
  readonly onTheWay: boolean;
}

/**
 * The result of a scan: every entry in scope below the root, in the order of git's index (bytes of the
 * full path, a folder's followed by "/"). Everything below a folder follows directly after it. Immutable.
 */
export class ScanIndex {
  /** Shared with earlier indices that have the same names; newer stats are in `restamped`. */
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

  get paths(): EntryPaths {
    return pathsIn(this.columns);
  }

  /** The same index with another stamp. */
  stamped(stamp: IndexStamp): ScanIndex {
    return new ScanIndex(this.columns, { ...this.meta, stamp }, this.restamped);
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

  /** As a state has it: what is recorded of an entry that is not read. */
  recordedMode(entry: number): number {
    const bits = this.bits(entry);
    const recorded = isDirectoryMode(bits) ? 0o3777 : 0o7777;
    return (bits & recorded) | ((bits & OTHERS_FLAG) === 0 ? 0 : OTHERS);
  }

  size(entry: number): number {
    return this.restamped.get(entry)?.stat.size ?? (this.columns.stats[entry * 4 + 3] as number);
  }

  isDirectory(entry: number): boolean {
    return isDirectoryMode(this.columns.bits[entry] as number);
  }

  /** Whether git ignores an entry that is in the index all the same. */
  isPrivate(entry: number): boolean {
    return (this.bits(entry) & PRIVATE) !== 0;
  }

  countPrivate(): number {
    let count = 0;
    for (let entry = 0; entry < this.count; entry += 1) if (this.isPrivate(entry)) count += 1;
    return count;
  }

  /** How many entries the rules take whatever their size: without small files that git ignores. */
  countTaken(): number {
    let count = 0;
    for (let entry = 0; entry < this.count; entry += 1) if (this.#isTaken(entry)) count += 1;
    return count;
  }

  #isTaken(entry: number): boolean {
    if (!this.isPrivate(entry)) return true;
    const scope = this.scopeOf(this.columns.parent[entry] as number);
    const verdict = scope.judge(this.paths.name(entry), this.isDirectory(entry));
    return !scope.isIgnored && isInScope(verdict);
  }

  isRacy(entry: number): boolean {
    return (this.bits(entry) & RACY) !== 0;
  }

  /** The entry of a path, or -1. */
  find(path: TrackedPath): number {
    // Where a path stands in the order depends on whether it is a folder.
    const entry = this.#search(path);
    return entry === -1 ? this.#search(`${path}/`) : entry;
  }

  /**
   * Whether the scan would have found something at this path, so that "not in the index" means "was not
   * there". Either the scan read the folder and no rule hid the name, or a folder on the way was not
   * there, and then nothing can have been below it whatever the rules say.
   */
  covers(path: TrackedPath): boolean {
    if (isOutside(path)) return false;
    const end = this.#endOf(path);
    return end === null || (!this.isUnreadable(end.folder) && !this.#hidesEnd(end));
  }

  /** Whether a rule leaves the path out, so that the scan did not look whether it is there. */
  leavesOut(path: TrackedPath): boolean {
    const end = isOutside(path) ? null : this.#endOf(path);
    return end !== null && !this.isUnreadable(end.folder) && this.#hidesEnd(end);
  }

  /** The first name on the way to a path that the index does not have; null where it has the path. */
  #endOf(path: TrackedPath): Missing | null {
    let folder = 0;
    for (let slash = path.indexOf('/'); ; slash = path.indexOf('/', slash + 1)) {
      const part = (slash === -1 ? path : path.slice(0, slash)) as TrackedPath;
      const entry = this.find(part);
      if (entry === -1) return { folder, name: nameOf(part), onTheWay: slash !== -1 };
      if (slash === -1 || !this.isDirectory(entry)) return null;
      folder = this.folderOf(entry);
    }
  }

  /** The number of the folder whose entry this is. */
  folderOf(entry: number): number {
    return firstFolderFrom(this.columns, entry);
  }

  isUnreadable(folder: number): boolean {
    if (folder === 0) return this.meta.failedInRoot.length > 0;
    return (this.bits(this.columns.folderEntry[folder] as number) & UNREADABLE) !== 0;
  }

  /** Folders that could not be read completely, and names in the root for which `lstat` failed. */
  unreadable(): TrackedPath[] {
    const { folderEntry, sizes } = this.columns;
    const found = [...this.meta.failedInRoot];
    for (let folder = 1; folder < sizes.folders; folder += 1) {
      if (this.isUnreadable(folder)) found.push(this.path(folderEntry[folder] as number));
    }
    return found;
  }

  rulesOf(folder: number): FolderRuleTexts {
    return this.meta.rules.get(folder) ?? NO_RULE_TEXTS;
  }

  /** The rules that this scan applied to the names in a folder. */
  scopeOf(folder: number): IgnoreScope {
    const known = this.#scopes[folder];
    if (known !== undefined) return known;
    const scope = this.#makeScope(folder);
    this.#scopes[folder] = scope;
    return scope;
  }

  #makeScope(folder: number): IgnoreScope {
    const own = parseRules(this.rulesOf(folder));
    if (folder === 0) return rootScope(this.meta.global, own);
    const { folderEntry, parent } = this.columns;
    const entry = folderEntry[folder] as number;
    const above = this.scopeOf(parent[entry] as number);
    return above.enter(this.paths.name(entry), own, this.isPrivate(entry));
  }

  #hidesEnd({ folder, name, onTheWay }: Missing): boolean {
    return this.hides(folder, name, true) || (!onTheWay && this.hides(folder, name, false));
  }

  /** Whether an entry of this folder may have been there without being seen. */
  hides(folder: number, name: string, isDirectory: boolean): boolean {
    const verdict = this.scopeOf(folder).judge(name, isDirectory);
    if (verdict !== 'ignored') return !isInScope(verdict);
    const { leftOut } = this.rulesOf(folder);
    return leftOut === 'many' || leftOut.includes(name);
  }

  /**
   * Names that were left out of a folder only because they are large, or git's own. Build output is not among
   * them, nor what `.savepointignore` names: nobody misses those.
   */
  missedIn(folder: number): readonly string[] {
    const { leftOut } = this.rulesOf(folder);
    if (leftOut === 'many' || leftOut.length === 0) return [];
    const scope = this.scopeOf(folder);
    // The list does not say which names are those of folders.
    const isMeant = (name: string): boolean =>
      [true, false].some((isDirectory) => scope.judge(name, isDirectory) === 'left-out');
    return leftOut.filter((name) => !isMeant(name));
  }

  /** Files that git ignores and that were left out for their size; only those with a name that is wanted. */
  outgrown(isWanted: (name: string) => boolean): TrackedPath[] {
    return [...this.meta.rules].flatMap(([folder, { leftOut }]) => {
      const names = leftOut === 'many' ? [] : leftOut.filter(isWanted);
      const ignored = names.filter((name) => this.scopeOf(folder).judge(name, false) === 'ignored');
      return ignored.map((name) => `${this.paths.folderPrefix(folder)}${name}` as TrackedPath);
    });
  }

  /** Whether names in some folder were left out of scope. */
  get hasLeftOut(): boolean {
    return [...this.meta.rules.values()].some(({ leftOut }) => leftOut.length > 0);
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

// From this character on, the order of UTF-16 units is not the order of the bytes that they stand for.
const OUT_OF_ORDER = /[\ud800-\uffff]/;

/** Sorts by the bytes of the keys; a folder's key ends in "/", which gives the order of git's index. */
export function sortByKey<T extends { readonly key: string }>(items: T[]): T[] {
  return items.some((item) => OUT_OF_ORDER.test(item.key))
    ? items.sort((a, b) => Buffer.compare(pathToBytes(a.key), pathToBytes(b.key)))
    : items.sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Compares two texts by their bytes. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  if (OUT_OF_ORDER.test(a) || OUT_OF_ORDER.test(b)) {
    return Buffer.compare(pathToBytes(a), pathToBytes(b));
  }
  return a < b ? -1 : 1;
}
