import type { Entry } from '../../fs/tree.ts';
import { type GlobalRules, sameGlobalRules } from '../ignore/ignore-scope.ts';
import type { EntryNews } from './check-known.ts';
import { type EntryStat, isDirectoryMode } from './entry-stat.ts';
import { type RuleReader, readRules } from './folder-rules.ts';
import { MAX_IGNORED_BYTES } from './ignored-entries.ts';
import { isSettled } from './index-columns.ts';
import type { Child, Listing } from './list-folder.ts';
import { type ScanIndex, sortByKey } from './scan-index.ts';

/** One entry of a folder, as it was and as it is. */
export interface Item {
  readonly name: string;
  readonly key: string;
  /** Its number in the previous index, or -1. */
  readonly known: number;
  /** The entry as it is now; null when the known one is to be taken over. */
  readonly child: Child | null;
}

/** An entry of the previous index that is no longer in scope. `listed` is null where it does not exist. */
export interface DroppedEntry {
  readonly known: number;
  readonly listed: Entry | null;
}

/** The previous index and the news about its entries, which say where the walk has to go. */
export class PreviousScan {
  readonly index: ScanIndex;
  /** Whether rules from outside the project changed, so that every folder must be judged anew. */
  readonly globalChanged: boolean;
  readonly #news: ReadonlyMap<number, EntryNews>;
  readonly #visit: Uint8Array;

  constructor(index: ScanIndex, news: ReadonlyMap<number, EntryNews>, global: GlobalRules) {
    this.index = index;
    this.globalChanged = !sameGlobalRules(index.meta.global, global);
    this.#news = news;
    this.#visit = new Uint8Array(index.columns.sizes.folders);
    for (const entry of news.keys()) this.#markUp(index.columns.parent[entry] as number);
  }

  /** Looks at the rule files themselves: each may have been read at another moment than its entry was looked at. */
  checkRules(reader: RuleReader, root: string): void {
    for (const [folder, known] of this.index.meta.rules) {
      const at = `${root}/${this.index.paths.folderPrefix(folder)}`.slice(0, -1);
      if (readRules(reader, at, null, known) !== known) this.#markUp(folder);
    }
  }

  /** Whether something in this folder or below it needs a look. */
  mustVisit(folder: number): boolean {
    return this.#visit[folder] === 1;
  }

  /** Whether a folder, everything in it and everything below it is as it was. */
  isQuiet(entry: number): boolean {
    // What is new in a folder moves the stamp of the folder itself.
    return !this.#news.has(entry) && !this.mustVisit(this.index.folderOf(entry));
  }

  isSettled(entry: number, stat: EntryStat): boolean {
    return isSettled(this.index.stampOf(entry), stat);
  }

  isMissing(entry: number): boolean {
    return this.#news.get(entry)?.kind === 'missing';
  }

  isFailed(entry: number): boolean {
    return this.#news.get(entry)?.kind === 'failed';
  }

  /** The new stat of an entry; null when it is as it was. */
  movedTo(entry: number): EntryStat | null {
    const news = this.#news.get(entry);
    return news?.kind === 'moved' ? news.stat : null;
  }

  /**
   * Whether a folder must be read although its own stamp is the same, because its entries changed, or because
   * an ignored one may have become too large to be kept.
   */
  hasOtherNames(folder: number): boolean {
    for (const entry of this.children(folder)) {
      if (this.isMissing(entry) || this.isFailed(entry)) return true;
      if (this.#mayHaveOutgrown(entry)) return true;
      const stat = this.movedTo(entry);
      if (stat === null) continue;
      if (isDirectoryMode(stat.mode) !== this.index.isDirectory(entry)) return true;
    }
    return false;
  }

  #mayHaveOutgrown(entry: number): boolean {
    if (!this.index.isPrivate(entry)) return false;
    if (this.index.isDirectory(entry)) return !this.isQuiet(entry);
    return (this.movedTo(entry)?.size ?? 0) > MAX_IGNORED_BYTES;
  }

  /** The known entries of a folder, in order; those below are skipped. */
  *children(folder: number): Iterable<number> {
    const { folderEntry, folderEnd } = this.index.columns;
    const end = folderEnd[folder] as number;
    let entry = folder === 0 ? 0 : (folderEntry[folder] as number) + 1;
    while (entry < end) {
      yield entry;
      entry = this.endOf(entry);
    }
  }

  /** The entry after this one and everything below it. */
  endOf(entry: number): number {
    return this.index.isDirectory(entry)
      ? (this.index.columns.folderEnd[this.index.folderOf(entry)] as number)
      : entry + 1;
  }

  /** The entries of a folder that need not be listed because its names are the same. */
  knownItems(folder: number): Item[] {
    return [...this.children(folder)].map((entry) => {
      const item = this.#asKnown(this.index.paths.name(entry), entry);
      const stat = this.movedTo(entry);
      if (stat === null) return item;
      const { name, key } = item;
      const isDirectory = isDirectoryMode(stat.mode);
      const isPrivate = this.index.isPrivate(entry);
      return { ...item, child: { name, key, stat, isDirectory, isPrivate } };
    });
  }

  /** The known entries of a folder by their names. */
  namesIn(folder: number): Map<string, number> {
    const known = new Map<string, number>();
    for (const entry of this.children(folder)) known.set(this.index.paths.name(entry), entry);
    return known;
  }

  /** Matches the known entries of a folder with a new listing of it. */
  matchListing(folder: number, listing: Listing): { items: Item[]; dropped: DroppedEntry[] } {
    const known = this.namesIn(folder);
    const items: Item[] = listing.children.map((child) => {
      const { name, key } = child;
      const entry = known.get(name) ?? -1;
      known.delete(name);
      return { name, key, known: entry, child };
    });
    if (known.size === 0) return { items, dropped: [] };
    const listed = new Map(listing.names.map((found) => [found.name, found]));
    const dropped: DroppedEntry[] = [];
    for (const [name, entry] of known) {
      if (listing.failed.has(name)) items.push(this.#asKnown(name, entry));
      else dropped.push({ known: entry, listed: listed.get(name) ?? null });
    }
    return { items: sortByKey(items), dropped };
  }

  #asKnown(name: string, known: number): Item {
    return { name, key: this.index.isDirectory(known) ? `${name}/` : name, known, child: null };
  }

  #markUp(folder: number): void {
    const { folderEntry, parent } = this.index.columns;
    for (let at = folder; this.#visit[at] === 0; ) {
      this.#visit[at] = 1;
      if (at !== 0) at = parent[folderEntry[at] as number] as number;
    }
  }
}
