import type { TrackedPath } from '../../model/path.ts';
import type { IgnoreScope } from '../ignore/index.ts';
import { RACY, UNREADABLE } from './entry-stat.ts';
import { NO_RULE_TEXTS, parseRules } from './folder-rules.ts';
import type { IndexBuilder } from './index-builder.ts';
import { type Child, type Listing, listFolder, type WalkContext } from './list-folder.ts';

/** A folder of the builder to which entries are added. */
export interface Place {
  readonly folder: number;
  /** Its path with "/" at the end; empty for the root. */
  readonly prefix: string;
  readonly scope: IgnoreScope;
}

export interface FreshWalk {
  readonly context: WalkContext;
  readonly builder: IndexBuilder;
  /** Called for each entry that is added. Null where nobody needs the paths, which cost time to make. */
  readonly onEntry: ((path: TrackedPath) => void) | null;
  readonly onUnreadable: (path: TrackedPath) => void;
}

interface Frame extends Place {
  readonly children: readonly Child[];
  next: number;
}

/** Adds an entry of which nothing is known yet, and everything below it. */
export function addFresh(walk: FreshWalk, place: Place, child: Child): void {
  const open: Frame[] = [{ ...place, children: [child], next: 0 }];
  // A stack of our own: trees may be deeper than the language's.
  for (let frame = open.at(-1); frame !== undefined; frame = open.at(-1)) {
    const next = frame.children[frame.next];
    frame.next += 1;
    if (next === undefined) open.pop();
    else if (next.isDirectory) openFolder(walk, frame, next, open);
    else addFile(walk, frame, next);
  }
}

function addFile({ builder, context, onEntry }: FreshWalk, place: Place, child: Child): void {
  builder.add(place.folder, child.name, child.stat, racyFlag(context, child));
  onEntry?.((place.prefix + child.name) as TrackedPath);
}

function openFolder(walk: FreshWalk, place: Place, child: Child, open: Frame[]): void {
  const path = (place.prefix + child.name) as TrackedPath;
  const listing = listFresh(walk.context, place, child.name);
  // Gone again since its parent was read, which the parent's stamp will tell the next scan.
  if (listing === 'missing') return;
  const folder = addFolder(walk.builder, walk.context, place.folder, child, listing);
  walk.onEntry?.(path);
  if (isPartial(listing)) walk.onUnreadable(path);
  if (listing === 'unreadable') return;
  walk.context.control.countEntries(listing.children.length);
  const { scope, children } = listing;
  open.push({ folder, prefix: `${path}/`, scope, children, next: 0 });
}

/** Lists a folder of which nothing is known. */
export function listFresh(
  context: WalkContext,
  parent: Pick<Place, 'prefix' | 'scope'>,
  name: string,
): Listing | 'missing' | 'unreadable' {
  return listFolder(context, {
    path: parent.prefix + name,
    knownRules: NO_RULE_TEXTS,
    scopeWith: (rules) => parent.scope.enter(name, parseRules(rules)),
  });
}

/** Adds the entry of a folder that was listed, or could not be. Returns its number. */
export function addFolder(
  builder: IndexBuilder,
  context: WalkContext,
  parent: number,
  child: Child,
  listing: Listing | 'unreadable',
): number {
  const flags = folderFlags(context, child, listing);
  const folder = builder.add(parent, child.name, child.stat, flags);
  if (listing !== 'unreadable') builder.setRules(folder, listing.rules);
  return folder;
}

export function folderFlags(
  context: WalkContext,
  child: Pick<Child, 'stat'>,
  listing: Listing | 'unreadable',
): number {
  // Racy, so that a folder that could not be read is tried again though its stamp stays.
  return isPartial(listing) ? UNREADABLE | RACY : racyFlag(context, child);
}

export function isPartial(listing: Listing | 'unreadable'): boolean {
  return listing === 'unreadable' || listing.failed.size > 0;
}

export function racyFlag(context: WalkContext, { stat }: Pick<Child, 'stat'>): number {
  return context.racyRule.isRacy(stat) ? RACY : 0;
}
