import { kindAt, NOTHING, type Observation, observe } from '../fs/observe.ts';
import { listTree } from '../fs/tree.ts';
import type { Change } from '../model/change.ts';
import { ancestors, type TrackedPath } from '../model/path.ts';
import type { OnProgress } from '../model/progress.ts';
import { protectionOf } from '../model/protection.ts';
import { ABSENT, isDirectory, joins, type UnknownReason, unknown } from '../model/state.ts';
import type { Draft } from '../store/draft.ts';
import type { Store } from '../store/store.ts';
import { type Author, appendChange, authorOf, settle } from './chain.ts';
import { type Finds, settleFound } from './finds.ts';
import type { PathMatcher } from './ignore/folder-view.ts';
import { headOf, type KnownStates } from './known-states.ts';
import { keepCall, mayRun, overlappedCalls } from './overlapped-calls.ts';

/** What a capture works on. */
export interface CaptureSite {
  readonly root: string;
  readonly store: Store;
  readonly known: KnownStates;
  readonly maxFileSize: number;
  /** How many entries of a named folder are taken before it counts as unknown. */
  readonly maxEntries: number;
  /** Folders of Savepoint's own, never looked into. */
  readonly ownFolders: readonly string[];
  /** Paths whose contents are never recorded, because they may be secret. */
  readonly excluded: PathMatcher;
  readonly onProgress?: OnProgress | undefined;
}

/** Whose capture it is, and what tells whose doing it is what it finds. */
export interface Capturing {
  readonly author: Author;
  readonly finds: Finds;
}

/**
 * Before a tool writes: records what is at each path now and opens a change for it. With a path go the
 * folders above it that do not exist yet, and everything below it if it is a folder.
 */
export async function openChanges(
  draft: Draft,
  site: CaptureSite,
  paths: readonly TrackedPath[],
  { author, finds }: Capturing,
): Promise<Change[]> {
  const opened: Change[] = [];
  const looks = lookAround(site, paths);
  const overlapped = await overlappedCalls(site.store, { paths: [...looks.keys()] });
  for (const [path, seen] of looks) {
    const head = await headOf(draft, site.known, path);
    const open = head?.open ? await site.store.changes({ paths: [path], open: true }) : [];
    const calls = [...open, ...overlapped.filter((call) => call.path === path)];
    const others = calls.filter((call) => call.sessionId !== author.sessionId && mayRun(call));
    for (const call of others) if (call.after === null) keepCall(draft, call, finds.now);
    const [other] = others;
    if (head?.open) settle(draft, head, path, seen, author.createdAt, other !== undefined);
    else await settleFound(draft, besides(other, finds), { path, head, seen, until: draft.base });
    const doer = other === undefined ? author : { ...author, attribution: 'shared' as const };
    opened.push(appendChange(draft, path, seen.state, null, doer));
  }
  return opened;
}

/** What is found where another call is at work is its doing, as far as anybody can tell. */
function besides(other: Change | undefined, finds: Finds): Finds {
  if (other === undefined) return finds;
  return { ...finds, authorOf: async () => authorOf(other, finds.now) };
}

/**
 * After the tool: ends the changes that were opened for it with what is there now. Entries that have
 * appeared in a folder which was looked at before are the tool's as well.
 */
export async function endChanges(
  draft: Draft,
  site: CaptureSite,
  opened: readonly Change[],
  capturing: Capturing,
): Promise<void> {
  const known = new Set(opened.map((change) => change.path));
  for (const change of opened) {
    const head = await site.store.head(change.path);
    // Somebody's next capture, or a rewind, may have closed it already.
    if (head === null || head.seq !== change.seq || !head.open) continue;
    const seen = look(site, change.path);
    if (seen.blob !== null) draft.addBlob(seen.blob);
    draft.closed.push({ seq: change.seq, after: seen.state });
    if (isDirectory(seen.state) && change.before.kind !== 'unknown') {
      await captureAppeared(draft, site, change, { ...capturing, known });
    }
  }
}

interface Appearing extends Capturing {
  /** Paths that were met already. */
  readonly known: Set<TrackedPath>;
}

async function captureAppeared(
  draft: Draft,
  site: CaptureSite,
  folder: Change,
  { known, author, finds }: Appearing,
): Promise<void> {
  for (const path of listTree(site.root, folder.path, site.maxEntries) ?? []) {
    if (known.has(path) || isOffLimits(site, path)) continue;
    known.add(path);
    const head = await headOf(draft, site.known, path);
    const seen = look(site, path);
    if (head?.open) continue;
    // Nothing was there when the folder was looked at: what the record says had gone by then.
    const isOld = head !== null && head.seq < folder.seq;
    if (isOld) await settleFound(draft, finds, { path, head, seen: NOTHING, until: folder.seq });
    const before = isOld ? ABSENT : (head?.state ?? ABSENT);
    if (joins(before, seen.state)) continue;
    if (seen.blob !== null) draft.addBlob(seen.blob);
    appendChange(draft, path, before, seen.state, author);
  }
}

/** Looks at a path unless it is git's or Savepoint's own. */
export function look(site: CaptureSite, path: TrackedPath): Observation {
  if (isOffLimits(site, path)) return notSeen('protected');
  return site.excluded(path, false) ? lookFromAfar(site, path) : observe(site.root, path, site);
}

/** Whether something is there, and whether it is a folder; no file is so small that it would be read. */
function lookFromAfar({ root }: CaptureSite, path: TrackedPath): Observation {
  const seen = observe(root, path, { maxFileSize: -1 });
  return seen.state.kind === 'absent' || isDirectory(seen.state) ? seen : notSeen('excluded');
}

export function isOffLimits(site: CaptureSite, path: TrackedPath): boolean {
  if (protectionOf(path) === 'git') return true;
  const absolute = path.startsWith('/') ? path : `${site.root}/${path}`;
  return site.ownFolders.some((own) => absolute === own || absolute.startsWith(`${own}/`));
}

/** Each path with the missing folders above it and the entries below it, looked at once. */
function lookAround(
  site: CaptureSite,
  paths: readonly TrackedPath[],
): Map<TrackedPath, Observation> {
  const seen = new Map<TrackedPath, Observation>();
  for (const path of paths) {
    if (isOffLimits(site, path)) {
      seen.set(path, notSeen('protected'));
      continue;
    }
    const found = look(site, path);
    // Where something stands, so do the folders above it.
    const missing = found.state.kind === 'absent' ? missingFolders(site, path) : [];
    for (const folder of missing) seen.set(folder, look(site, folder));
    const below = isDirectory(found.state) ? entriesBelow(site, path) : [];
    seen.set(path, below === null ? notSeen('past-limit') : found);
    for (const entry of below ?? []) seen.set(entry, look(site, entry));
  }
  return seen;
}

function missingFolders(site: CaptureSite, path: TrackedPath): TrackedPath[] {
  const above = ancestors(path);
  const innermost = above.at(-1);
  if (innermost === undefined || kindAt(site.root, innermost) !== 'absent') return [];
  return above.slice(above.findIndex((folder) => kindAt(site.root, folder) === 'absent'));
}

function entriesBelow(site: CaptureSite, path: TrackedPath): TrackedPath[] | null {
  const below = listTree(site.root, path, site.maxEntries);
  return below?.filter((entry) => !isOffLimits(site, entry)) ?? null;
}

function notSeen(reason: UnknownReason): Observation {
  return { state: unknown(reason), blob: null, stats: null };
}
