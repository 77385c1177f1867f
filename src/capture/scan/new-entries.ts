import type { TrackedPath } from '../../model/path.ts';
import type { IgnoreScope } from '../ignore/ignore-scope.ts';
import { PRIVATE, RACY, UNREADABLE } from './entry-stat.ts';
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
  /** Called for each entry that is added. Null where no paths are needed: making them costs time. */
  readonly onEntry: ((path: TrackedPath) => void) | null;
  readonly onUnreadable: (path: TrackedPath) => void;
}

interface Frame extends Place {
  readonly children: readonly Child[];
  next: number;
}

/** Adds an entry that no index knows, and everything below it. */
export function addFresh(walk: FreshWalk, place: Place, child: Child): void {
  const open: Frame[] = [{ ...place, children: [child], next: 0 }];
  // An explicit stack, because a tree may be deep and each level holds a listing.
  for (let frame = open.at(-1); frame !== undefined; frame = open.at(-1)) {
    const next = frame.children[frame.next];
    frame.next += 1;
    if (next === undefined) open.pop();
    else if (next.isDirectory) openFolder(walk, frame, next, open);
    else addFile(walk, frame, next);
  }
}

function addFile({ builder, context, onEntry }: FreshWalk, place: Place, child: Child): void {
  builder.add(place.folder, child.name, child.stat, flagsOf(context, child));
  onEntry?.((place.prefix + child.name) as TrackedPath);
}

function openFolder(walk: FreshWalk, place: Place, child: Child, open: Frame[]): void {
  const path = (place.prefix + child.name) as TrackedPath;
  const listing = listFresh(walk.context, place, child);
  // It was deleted after its parent was read; the parent's new stamp will tell the next scan.
  if (listing === 'missing') return;
  const folder = addFolder(walk.builder, walk.context, place.folder, child, listing);
  walk.onEntry?.(path);
  if (isPartial(listing)) walk.onUnreadable(path);
  if (listing === 'unreadable') return;
  walk.context.control.countEntries(listing.children.length);
  const { scope, children } = listing;
  open.push({ folder, prefix: `${path}/`, scope, children, next: 0 });
}

/** Lists a folder that no index knows. */
export function listFresh(
  context: WalkContext,
  parent: Pick<Place, 'prefix' | 'scope'>,
  { name, isPrivate }: Pick<Child, 'name' | 'isPrivate'>,
): Listing | 'missing' | 'unreadable' {
  return listFolder(context, {
    path: parent.prefix + name,
    knownRules: NO_RULE_TEXTS,
    scopeWith: (rules) => parent.scope.enter(name, parseRules(rules), isPrivate),
  });
}

/** Adds the entry of a folder, with its listing if it could be read. Returns the folder's number. */
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
  child: Pick<Child, 'stat' | 'isPrivate'>,
  listing: Listing | 'unreadable',
): number {
  const flags = flagsOf(context, child);
  // Racy, so that the next scan tries to read the folder again although its stamp is the same.
  return isPartial(listing) ? flags | UNREADABLE | RACY : flags;
}

export function isPartial(listing: Listing | 'unreadable'): boolean {
  return listing === 'unreadable' || listing.failed.size > 0;
}

export function flagsOf(
  context: WalkContext,
  { stat, isPrivate }: Pick<Child, 'stat' | 'isPrivate'>,
): number {
  return (context.racyRule.isRacy(stat) ? RACY : 0) | (isPrivate ? PRIVATE : 0);
}
