import type { Observation } from '../fs/observe.ts';
import type { Change } from '../model/change.ts';
import type { TrackedPath } from '../model/path.ts';
import { joins, type State } from '../model/state.ts';
import type { Draft } from '../store/draft.ts';
import type { Head } from '../store/store.ts';

/** Who a new change is attributed to. */
export type Author = Pick<
  Change,
  | 'origin'
  | 'attribution'
  | 'sessionId'
  | 'checkpointId'
  | 'operationId'
  | 'toolCallId'
  | 'owner'
  | 'createdAt'
>;

/** What is written by nobody we know: a person, another program. */
export function outsider(createdAt: number): Author {
  return {
    origin: 'outside',
    attribution: 'exact',
    sessionId: null,
    checkpointId: null,
    operationId: null,
    toolCallId: null,
    owner: null,
    createdAt,
  };
}

/** What a tool did beside a change opened for it is attributed as that one is. */
export function authorOf(change: Change, now: number): Author {
  const { origin, attribution, sessionId, checkpointId, operationId, toolCallId, owner } = change;
  return {
    origin,
    attribution,
    sessionId,
    checkpointId,
    operationId,
    toolCallId,
    owner,
    createdAt: now,
  };
}

/**
 * Brings the chain of a path up to what was just seen, so that the next change joins it: an open
 * change ends here, and a difference that nobody recorded becomes an `outside` change. Returns that
 * change, or null when the chain already ended in what was seen. `overlapped`: who opened the change is
 * still at work, so nobody can tell any more whose doing is what.
 */
export function settle(
  draft: Draft,
  head: Head | null,
  path: TrackedPath,
  seen: Observation,
  now: number,
  overlapped = false,
): Change | null {
  if (head === null) {
    if (seen.blob !== null) draft.addBlob(seen.blob);
    return null;
  }
  // What joins a settled head is in the store already.
  if (!head.open && joins(head.state, seen.state)) return null;
  if (seen.blob !== null) draft.addBlob(seen.blob);
  if (head.open) {
    const shared = overlapped ? { attribution: 'shared' as const } : {};
    draft.closed.push({ seq: head.seq, after: seen.state, ...shared });
    return null;
  }
  return appendChange(draft, path, head.state, seen.state, outsider(now));
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
