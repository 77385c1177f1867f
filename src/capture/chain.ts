import type { Observation } from '../fs/observe.ts';
import type { Change } from '../model/change.ts';
import type { Seq } from '../model/ids.ts';
import type { TrackedPath } from '../model/path.ts';
import { ABSENT, joins, type State, unknown } from '../model/state.ts';
import type { Draft } from '../store/draft.ts';
import type { Head } from '../store/store.ts';
import type { Finds } from './attribution.ts';

/** The fields of a change that say who made it. */
export type Author = Pick<
  Change,
  | 'origin'
  | 'attribution'
  | 'sessionId'
  | 'checkpointId'
  | 'coAuthors'
  | 'operationId'
  | 'toolCallId'
  | 'subagentId'
  | 'owner'
  | 'createdAt'
>;

/** The author of changes that no agent made: a person, or another program. */
export function outsider(createdAt: number): Author {
  return {
    origin: 'outside',
    attribution: 'exact',
    sessionId: null,
    checkpointId: null,
    coAuthors: null,
    operationId: null,
    toolCallId: null,
    subagentId: null,
    owner: null,
    createdAt,
  };
}

/** The author for further changes of the tool that made this one. */
export function authorOf(change: Change, now: number): Author {
  const { seq: _seq, path: _path, before: _before, after: _after, ...author } = change;
  return { ...author, createdAt: now };
}

export function appendChange(
  draft: Draft,
  path: TrackedPath,
  before: State,
  after: State | null,
  author: Author,
): Change {
  const change: Change = { seq: draft.nextSeq(), path, before, after, ...author };
  draft.changes.push(change);
  return change;
}

/**
 * Brings the chain of a path up to the state that was just seen, so that the next change joins it: an open
 * change ends here, and a difference that nobody recorded becomes an `outside` change. Returns that
 * change, or null when the chain already ended in that state. `overlapped`: the tool that opened the
 * change may still be at work, or ended at a time that nobody knows, so nobody can tell who wrote what.
 */
export function settle(
  draft: Draft,
  head: Head | null,
  path: TrackedPath,
  seen: Observation,
  now: number,
  overlapped = false,
): Change | null {
  // A state that joins a settled head is in the store already.
  if (head !== null && !head.open && joins(head.state, seen.state)) return null;
  if (seen.blob !== null) draft.addBlob(seen.blob);
  if (head === null) return null;
  if (head.open) {
    const shared = overlapped ? { attribution: 'shared' as const } : {};
    draft.closed.push({ seq: head.seq, after: seen.state, ...shared });
    return null;
  }
  return appendChange(draft, path, head.state, seen.state, outsider(now));
}

/** The state that a capture met at a path whose chain has no open change. */
export interface Found {
  readonly path: TrackedPath;
  readonly head: Head | null;
  readonly seen: Observation;
  readonly until: Seq;
  /** The author of a difference, where that is known. */
  readonly author?: Author | undefined;
}

/**
 * Brings the chain of a path up to the state that a capture has seen, as a scan would: a running command
 * made the difference, and an entry where the last scan saw nothing was created since.
 */
export async function settleFound(draft: Draft, finds: Finds, found: Found): Promise<void> {
  const { path, head, seen, until, author } = found;
  if (joins(head?.state ?? ABSENT, seen.state)) return;
  if (seen.blob !== null) draft.addBlob(seen.blob);
  const sight = await finds.sightOf(path, head);
  const before = sight === 'nothing' ? ABSENT : head?.state;
  // Nobody has ever looked there: the chain begins with the state that the tool finds.
  if (before === undefined) return;
  if (head !== null && !joins(head.state, before)) {
    appendUnseenEnd(draft, path, head.state, finds.now);
  }
  if (joins(before, seen.state)) return;
  const since = sight === 'not-covered' && head !== null ? head.seq : null;
  appendChange(draft, path, before, seen.state, author ?? (await finds.authorOf(until, since)));
}

/**
 * Ends a chain whose file was gone at the last scan, though no scan saw it go because a rule hid its name.
 * The `unknown` in between says that nobody knows what was there meanwhile.
 */
export function appendUnseenEnd(draft: Draft, path: TrackedPath, was: State, now: number): void {
  const hidden = unknown('not-seen');
  if (!joins(was, hidden)) appendChange(draft, path, was, hidden, outsider(now));
  appendChange(draft, path, hidden, ABSENT, outsider(now));
}
