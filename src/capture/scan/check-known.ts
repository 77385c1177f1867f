import type { IndexColumns } from './columns.ts';
import type { ScanControl } from './control.ts';
import type { EntryPaths } from './entry-paths.ts';
import { isUnreadable, type ScanFileSystem } from './file-system.ts';
import { FAILED, MISSING, NewsBuilder, type NewsColumns } from './known-news.ts';
import { QuickCheck } from './quick-check.ts';
import { isSettled, stampAt } from './restamped.ts';
import type { ScanIndex } from './scan-index.ts';

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
 * Looks at every known entry, without regard to what is a folder and what is in it, and says which are
 * not as they were. Threads that share a control share the work, chunk by chunk.
 */
export function checkKnown(check: KnownCheck): NewsColumns {
  const news = new NewsBuilder();
  const quick = new QuickCheck(check.columns);
  const { entries } = check.columns.sizes;
  for (let at = check.control.takeChunk() * CHUNK; at < entries; ) {
    checkRange(check, quick, { from: at, to: Math.min(at + CHUNK, entries) }, news);
    at = check.control.takeChunk() * CHUNK;
  }
  return news.finish();
}

function checkRange(
  { root, columns, control, fileSystem, paths }: KnownCheck,
  quick: QuickCheck,
  { from, to }: { readonly from: number; readonly to: number },
  news: NewsBuilder,
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
      if (stat === null) news.lost(entry, MISSING);
      else if (!isSettled(stampAt(columns, entry), stat)) news.moved(entry, stat);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      news.lost(entry, FAILED);
    }
  }
}

/** What became of the entries whose columns are out of date; `checkKnown` compares with the columns. */
export function checkRestamped(
  { restamped, paths }: Pick<ScanIndex, 'restamped' | 'paths'>,
  { root, fileSystem, control }: Pick<KnownCheck, 'root' | 'fileSystem' | 'control'>,
): NewsColumns {
  const news = new NewsBuilder();
  for (const [entry, stamp] of restamped) {
    control.check();
    try {
      const stat = fileSystem.lstat(`${root}/${paths.path(entry)}`);
      if (stat === null) news.lost(entry, MISSING);
      else if (isSettled(stamp, stat)) news.same(entry);
      else news.moved(entry, stat);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      news.lost(entry, FAILED);
    }
  }
  return news.finish();
}
