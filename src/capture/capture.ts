import { kindAt, NOTHING, type Observation, observe } from '../fs/observe.ts';
import { listTree } from '../fs/tree.ts';
import type { Change } from '../model/change.ts';
import { ancestors, type TrackedPath } from '../model/path.ts';
import type { OnProgress } from '../model/progress.ts';
import { protectionOf } from '../model/protection.ts';
import {
  ABSENT,
  isDirectory,
  joins,
  type State,
  sameState,
  type UnknownReason,
  unknown,
} from '../model/state.ts';
import type { Draft } from '../store/draft.ts';
import { findHead } from '../store/find.ts';
import type { ChangeQuery, Store } from '../store/store.ts';
import { coAuthorsOf, type Ended, type Finds, isEnded } from './attribution.ts';
import { type Author, appendChange, authorOf, settle, settleFound } from './chain.ts';
import type { PathMatcher } from './ignore/folder-view.ts';
import type { IsIgnored } from './ignore/ignored-path.ts';
import { headOf, type KnownStates } from './known-states.ts';
import { ownerMayRun } from './process-owner.ts';

/** The project that a capture works on, and its limits. */
export interface CaptureSite {
  readonly root: string;
  readonly store: Store;
  readonly known: KnownStates;
  readonly maxFileSize: number;
  /** Whether the content of a path stays readable with SQL, see `Blob`. */
  readonly asText?: ((path: TrackedPath) => boolean) | undefined;
  /** A named folder with more entries than this counts as unknown. */
  readonly maxEntries: number;
  /** Folders of Savepoint's own, never looked into. */
  readonly ownFolders: readonly string[];
  /** Paths whose contents are never recorded, because they may be secret. */
  readonly excluded: PathMatcher;
  readonly ignored: IsIgnored;
  readonly onProgress?: OnProgress | undefined;
}

/** The author of the capture, and the rules that attribute unexpected states that it finds. */
export interface Capturing {
  readonly author: Author;
  readonly finds: Finds;
  /** Open changes under the name of the author's call belong to an earlier call. */
  readonly isNewCall?: boolean;
}

/**
 * Before a tool writes: records the state of each path and opens a change for it. A path brings along the
 * folders above it that do not exist yet, and everything below it if it is a folder.
 */
export async function openChanges(
  draft: Draft,
  site: CaptureSite,
  paths: readonly TrackedPath[],
  { author, finds, isNewCall = false }: Capturing,
): Promise<Change[]> {
  const opened: Change[] = [];
  const looks = lookAround(site, paths);
  // Also those that do not exist yet.
  const folders = new Set([...looks.keys()].flatMap(ancestors));
  const overlapped = await changesOfOverlappedCalls(site.store, { paths: [...looks.keys()] });
  for (const [path, seen] of looks) {
    const head = await headOf(draft, site.known, path);
    if (head === null) markIgnored(draft, site, path, isDirectory(seen.state) || folders.has(path));
    const open = head?.open ? await site.store.timeline.changes({ paths: [path], open: true }) : [];
    const calls = [...open, ...overlapped.filter((call) => call.path === path)];
    const others = calls.filter(
      (call) => call.sessionId !== author.sessionId && mayRun(call, finds.now),
    );
    for (const call of others) if (call.after === null) keepCall(draft, call, finds.now);
    const [other] = others;
    if (head?.open) {
      const isUntold = open.some(
        (call) =>
          (isNewCall || call.toolCallId !== author.toolCallId) && isUnfinished(call, seen.state),
      );
      settle(draft, head, path, seen, author.createdAt, other !== undefined || isUntold);
    } else {
      // Where another call is at work, that call most likely made a difference.
      const maker = other && authorOf(other, finds.now);
      await settleFound(draft, finds, { path, head, seen, until: draft.base, author: maker });
    }
    // `site.asText` does not know the paths that this capture has just found to be private.
    const asText = site.asText?.(path) === true && !draft.privatePaths.includes(path);
    if (asText && seen.blob !== null) draft.addBlob({ ...seen.blob, asText });
    const doer = other === undefined ? author : together(author, others);
    opened.push(appendChange(draft, path, seen.state, null, doer));
  }
  return opened;
}

/**
 * Whether nobody has told the end of another call that is to end here, though its file has changed: the call may
 * have been refused or interrupted, and a person may have written since.
 */
function isUnfinished({ toolCallId, before }: Change, now: State): boolean {
  return toolCallId !== null && !sameState(before, now);
}

/** Nobody can tell the writes of calls apart that are at work at one path. */
function together(author: Author, others: readonly Change[]): Author {
  return { ...author, attribution: 'shared', coAuthors: coAuthorsOf(author, others) };
}

/**
 * After the tool: closes the changes that were opened for it with the states that are there now. New entries
 * in a folder that was looked at before are the tool's as well.
 */
export async function closeChanges(
  draft: Draft,
  site: CaptureSite,
  opened: readonly Change[],
  capturing: Capturing,
): Promise<void> {
  const known = new Set(opened.map((change) => change.path));
  for (const change of opened) {
    const head = await findHead(site.store, change.path);
    // The next capture of the path, or a rewind, may have closed it already.
    if (head === null || head.seq !== change.seq || !head.open) continue;
    const seen = look(site, change.path);
    if (seen.blob !== null) draft.addBlob(seen.blob);
    const isShared =
      capturing.author.attribution === 'shared' && !sameState(change.before, seen.state);
    const shared = isShared ? { attribution: 'shared' as const } : {};
    draft.closed.push({ seq: change.seq, after: seen.state, ...shared });
    if (isDirectory(seen.state) && change.before.kind !== 'unknown') {
      await captureAppeared(draft, site, change, known, capturing);
    }
  }
}

/** `known`: paths that were captured already; the new ones are added. */
async function captureAppeared(
  draft: Draft,
  site: CaptureSite,
  folder: Change,
  known: Set<TrackedPath>,
  { author, finds }: Capturing,
): Promise<void> {
  for (const path of listTree(site.root, folder.path, site.maxEntries) ?? []) {
    if (known.has(path) || isOffLimits(site, path)) continue;
    known.add(path);
    const head = await headOf(draft, site.known, path);
    const seen = look(site, path);
    if (head?.open) continue;
    if (head === null) markIgnored(draft, site, path, isDirectory(seen.state));
    // Nothing was there when the folder was looked at, so an older record had ended by then.
    const isOld = head !== null && head.seq < folder.seq;
    if (isOld) await settleFound(draft, finds, { path, head, seen: NOTHING, until: folder.seq });
    const before = isOld ? ABSENT : (head?.state ?? ABSENT);
    if (joins(before, seen.state)) continue;
    if (seen.blob !== null) draft.addBlob(seen.blob);
    appendChange(draft, path, before, seen.state, author);
  }
}

/** A path that no scan has judged, and that a tool named, is private too where git ignores it. */
function markIgnored(draft: Draft, site: CaptureSite, path: TrackedPath, isFolder: boolean): void {
  if (site.ignored(path, isFolder)) draft.privatePaths.push(path);
}

/**
 * A path has one open change at most, so a tool call that comes to a path ends the change of another call
 * that is still at work there. This window remembers the other call.
 */
function keepCall(draft: Draft, change: Change, now: number): void {
  const { sessionId, checkpointId, toolCallId, subagentId, owner } = change;
  if (sessionId === null || checkpointId === null) return;
  draft.windows.push({
    id: windowIdOf(change),
    kind: 'call',
    change: change.seq,
    sessionId,
    checkpointId,
    toolCallId,
    subagentId,
    owner: owner?.kind === 'import' ? null : owner,
    description: '',
    coverage: 'named',
    opened: draft.nextSeq(),
    closed: null,
    certain: null,
    createdAt: now,
  });
}

/** Another session's call ends a change only once, so the change's number names the window. */
function windowIdOf({ seq }: Change): string {
  return `call-${seq}`;
}

/** Changes that another session's call has ended while their own call still runs. */
export async function changesOfOverlappedCalls(
  store: Store,
  query: Pick<ChangeQuery, 'paths' | 'sessionIds'>,
): Promise<Change[]> {
  const seqs = (await store.timeline.windows()).flatMap(({ change }) => change ?? []);
  if (seqs.length === 0) return [];
  const kept = new Set(seqs);
  const changes = await store.timeline.changes({ ...query, after: Math.min(...seqs) - 1 });
  return changes.filter(({ seq }) => kept.has(seq));
}

/** Whether the tool call that opened a change may still be writing, while nobody has told its end. */
export function mayRun({ toolCallId, owner, createdAt: since }: Change, now: number): boolean {
  if (toolCallId === null || owner?.kind === 'import') return false;
  return owner === null || ownerMayRun(owner, { since, now });
}

/**
 * Ends open changes, whoever made them. `told`: this is the moment at which their tool calls ended. Where it
 * is not (an interrupt, a crash, a call that failed), a person may have written to the files since, so that
 * differences are shared. A change without a tool call has no end that could be told.
 */
export async function closeByAuthor(
  draft: Draft,
  site: CaptureSite,
  open: readonly Change[],
  { finds, told }: { readonly finds: Finds; readonly told: boolean },
): Promise<void> {
  // Changes of one author end together, so that each new entry of a folder is recorded once.
  for (const changes of Map.groupBy(open, (change) => authorKey(change)).values()) {
    const [first] = changes;
    if (first === undefined) continue;
    const author = authorOf(first, finds.now);
    const isLost = !told && first.toolCallId !== null;
    const attribution = isLost ? 'shared' : author.attribution;
    await closeChanges(draft, site, changes, { author: { ...author, attribution }, finds });
  }
}

/** Ends tool calls that must be over although nobody has told their end: their owner has ended, or `ended` says so. */
export async function endLostCalls(
  draft: Draft,
  site: CaptureSite,
  ended: Ended | null,
  finds: Finds,
): Promise<void> {
  const open = await site.store.timeline.changes({ open: true });
  const lost = open.filter(
    (call) => call.toolCallId !== null && (isEnded(call, ended) || !mayRun(call, finds.now)),
  );
  await closeByAuthor(draft, site, lost, { finds, told: false });
}

/** Changes with the same key have the same author. */
function authorKey({ checkpointId, toolCallId, subagentId, owner }: Change): string {
  return JSON.stringify([checkpointId, toolCallId, subagentId, owner]);
}

/**
 * After a tool call whose changes other sessions' calls have ended: its later writes go on record as
 * shared, except where another call is at work and will record the state at its end.
 */
export async function endOverlapped(
  draft: Draft,
  site: CaptureSite,
  ended: readonly Change[],
  now: number,
): Promise<void> {
  for (const change of ended) {
    draft.removedWindows.push(windowIdOf(change));
    const head = await headOf(draft, site.known, change.path);
    const seen = look(site, change.path);
    if (head === null || head.open || joins(head.state, seen.state)) continue;
    if (seen.blob !== null) draft.addBlob(seen.blob);
    appendChange(draft, change.path, head.state, seen.state, authorOf(change, now));
  }
}

/** Looks at a path unless it is git's or Savepoint's own. */
export function look(site: CaptureSite, path: TrackedPath): Observation {
  if (isOffLimits(site, path)) return notSeen('protected');
  if (!site.excluded(path, false)) return observe(site.root, path, site);
  // An excluded file is never read: with this limit, every file counts as too large.
  const seen = observe(site.root, path, { maxFileSize: -1 });
  return seen.state.kind === 'absent' || isDirectory(seen.state) ? seen : notSeen('excluded');
}

/**
 * As `look`, for a path whose last known state is at hand. A file beyond the size limit may be on record,
 * because git held it or a rewind kept it, and so may a file that was excluded since. As long as the file
 * has those bytes, that is its state. Nothing new is kept of it. `reasons`: why the look may have recorded nothing.
 */
export function lookAtKnown(
  site: CaptureSite,
  path: TrackedPath,
  known: State | null,
  reasons: readonly UnknownReason[],
): Observation {
  const seen = look(site, path);
  const isLeftOut = seen.state.kind === 'unknown' && reasons.includes(seen.state.reason);
  if (!isLeftOut || known?.kind !== 'captured') return seen;
  const whole = observe(site.root, path, { maxFileSize: known.size });
  const isSame = whole.state.kind === 'captured' && whole.state.blob === known.blob;
  return isSame ? { ...whole, blob: null } : seen;
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
    // If the path exists, so do the folders above it.
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
