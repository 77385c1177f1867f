import { isDirectoryMode } from './entry-stat.ts';
import type { ListedName } from './file-system.ts';
import type { Child, Listing } from './list-folder.ts';
import { sortByKey } from './name-order.ts';
import type { PreviousScan } from './previous-scan.ts';

/** One entry of a folder, as it was and as it is. */
export interface Item {
  readonly name: string;
  readonly key: string;
  /** Its number in the previous index, or -1. */
  readonly known: number;
  /** What was found, or null: to be taken as known. */
  readonly child: Child | null;
}

/** An entry of the previous index that is not in scope any more. `listed` null: it is not there. */
export interface LostEntry {
  readonly known: number;
  readonly listed: ListedName | null;
}

/** Brings together what a folder held and what it holds. */
export function matchListing(
  previous: PreviousScan,
  folder: number,
  listing: Listing,
): { items: Item[]; lost: LostEntry[] } {
  const known = new Map<string, number>();
  for (const entry of previous.children(folder)) known.set(previous.index.paths.name(entry), entry);
  const items: Item[] = listing.children.map((child) => {
    const { name, key } = child;
    return { name, key, known: take(known, name), child };
  });
  if (known.size === 0) return { items, lost: [] };
  const kept = [...known].filter(([name]) => listing.failed.has(name));
  items.push(...kept.map(([name, entry]) => asKnown(previous, name, entry)));
  const listed = new Map(listing.names.map((found) => [found.name, found]));
  const lost = [...known]
    .filter(([name]) => !listing.failed.has(name))
    .map(([name, entry]) => ({ known: entry, listed: listed.get(name) ?? null }));
  return { items: sortByKey(items), lost };
}

/** The entries of a folder that was not listed because its names are the same. */
export function knownItems(previous: PreviousScan, folder: number): Item[] {
  return [...previous.children(folder)].map((entry) => {
    const item = asKnown(previous, previous.index.paths.name(entry), entry);
    const stat = previous.movedTo(entry);
    if (stat === null) return item;
    const { name, key } = item;
    return { ...item, child: { name, key, stat, isDirectory: isDirectoryMode(Number(stat.mode)) } };
  });
}

function asKnown({ index }: PreviousScan, name: string, known: number): Item {
  return { name, key: index.isDirectory(known) ? `${name}/` : name, known, child: null };
}

function take(known: Map<string, number>, name: string): number {
  const entry = known.get(name) ?? -1;
  known.delete(name);
  return entry;
}
