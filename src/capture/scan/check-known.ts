import { bareStat, type EntryStat } from './entry-stat.ts';
import { isUnreadable, type ScanFileSystem } from './file-system.ts';
import { type EntryPaths, type IndexColumns, isSettled, isSettledAt } from './index-columns.ts';
import type { ScanControl } from './scan-control.ts';
import type { ScanIndex } from './scan-index.ts';

/** A known entry whose stat is not the known one, or cannot be trusted. */
export type EntryNews =
  | { readonly entry: number; readonly kind: 'moved'; readonly stat: EntryStat }
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
  const { entries } = check.columns.sizes;
  for (let at = check.control.takeChunk() * CHUNK; at < entries; ) {
    checkRange(check, { from: at, to: Math.min(at + CHUNK, entries) }, news);
    at = check.control.takeChunk() * CHUNK;
  }
  return news;
}

function checkRange(
  { root, columns, control, fileSystem, paths }: KnownCheck,
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
      const stat = fileSystem.lstat(prefix + paths.name(entry));
      if (stat === null) news.push({ entry, kind: 'missing' });
      else if (!isSettledAt(columns, entry, stat)) news.push(moved(entry, stat));
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

function moved(entry: number, stat: EntryStat): EntryNews {
  return { entry, kind: 'moved', stat: bareStat(stat) };
}
