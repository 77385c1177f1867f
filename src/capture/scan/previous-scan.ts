import { type GlobalRules, sameGlobalRules } from '../ignore/index.ts';
import { isDirectoryMode, type RawStat } from './entry-stat.ts';
import { type RuleReader, readRules } from './folder-rules.ts';
import { FAILED, type KnownNews, MISSING, MOVED } from './known-news.ts';
import { isSettled } from './restamped.ts';
import type { ScanIndex } from './scan-index.ts';

/** The previous index together with what a look at its entries told, and so where to go once more. */
export class PreviousScan {
  readonly index: ScanIndex;
  /** Whether rules from outside the project changed, so that every folder must be judged anew. */
  readonly globalChanged: boolean;
  readonly #news: KnownNews;
  readonly #visit: Uint8Array;

  constructor(index: ScanIndex, news: KnownNews, global: GlobalRules) {
    this.index = index;
    this.globalChanged = !sameGlobalRules(index.meta.global, global);
    this.#news = news;
    this.#visit = new Uint8Array(index.columns.sizes.folders);
    for (const entry of news.changed()) this.#markUp(index.columns.parent[entry] as number);
  }

  /** Looks at the rule files themselves: they may be ignored, and then they have no entry. */
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

  isSettled(entry: number, stat: RawStat): boolean {
    return isSettled(this.index.stampOf(entry), stat);
  }

  isMissing(entry: number): boolean {
    return this.#news.kind(entry) === MISSING;
  }

  isFailed(entry: number): boolean {
    return this.#news.kind(entry) === FAILED;
  }

  /** The new stat of an entry; null when it is as it was. */
  movedTo(entry: number): RawStat | null {
    return this.#news.kind(entry) === MOVED ? this.#news.stat(entry) : null;
  }

  knownStat(entry: number): RawStat {
    return this.index.stampOf(entry).stat;
  }

  /** Whether a folder must be read, whatever its stamp says, because of what became of its entries. */
  hasOtherNames(folder: number): boolean {
    for (const entry of this.children(folder)) {
      if (this.isMissing(entry) || this.isFailed(entry)) return true;
      const stat = this.movedTo(entry);
      if (stat === null) continue;
      if (isDirectoryMode(Number(stat.mode)) !== this.index.isDirectory(entry)) return true;
    }
    return false;
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

  #markUp(folder: number): void {
    const { folderEntry, parent } = this.index.columns;
    for (let at = folder; this.#visit[at] === 0; ) {
      this.#visit[at] = 1;
      if (at !== 0) at = parent[folderEntry[at] as number] as number;
    }
  }
}
