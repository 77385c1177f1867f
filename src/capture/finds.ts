import type { Observation } from '../fs/observe.ts';
import type { Seq } from '../model/ids.ts';
import type { TrackedPath } from '../model/path.ts';
import { ABSENT, joins, type State, unknown } from '../model/state.ts';
import type { Draft } from '../store/draft.ts';
import type { Head } from '../store/store.ts';
import { type Author, appendChange, outsider } from './chain.ts';

/** What the last scan says of a place: something is there, or nothing, or it did not look. */
export type Sight = 'there' | 'nothing' | 'not-covered';

/** What has to be known of scans and commands to say whose doing it is what a capture finds. */
export interface Finds {
  readonly now: number;
  /** Null where no scan can tell: there was none, or what is on record of the path is newer. */
  sightOf(path: TrackedPath, head: Head | null): Promise<Sight | null>;
  /**
   * Whose doing it is what was found at `until`. Where no scan looks, it can have happened at any time
   * after `since`; elsewhere (null) a scan would have told of it when a command began.
   */
  authorOf(until: Seq, since: Seq | null): Promise<Author>;
}

/** What a capture met at a path whose chain has no open change. */
export interface Found {
  readonly path: TrackedPath;
  readonly head: Head | null;
  readonly seen: Observation;
  readonly until: Seq;
}

/**
 * Brings the chain of a path up to what a capture has seen, as a scan would have: what a running command
 * wrote until then is the command's, and what stands where the last scan saw nothing was made since.
 */
export async function settleFound(draft: Draft, finds: Finds, found: Found): Promise<void> {
  const { path, head, seen, until } = found;
  if (joins(head?.state ?? ABSENT, seen.state)) return;
  if (seen.blob !== null) draft.addBlob(seen.blob);
  const sight = await finds.sightOf(path, head);
  const before = sight === 'nothing' ? ABSENT : head?.state;
  // Nobody has ever looked there: the chain begins with what the tool finds.
  if (before === undefined) return;
  if (head !== null && !joins(head.state, before)) {
    appendUnseenEnd(draft, path, head.state, finds.now);
  }
  if (joins(before, seen.state)) return;
  const since = sight === 'not-covered' && head !== null ? head.seq : null;
  appendChange(draft, path, before, seen.state, await finds.authorOf(until, since));
}

/**
 * What is on record had gone by the last scan, and no scan saw it go: a rule hid its name. What was there
 * in the meantime, nobody knows.
 */
export function appendUnseenEnd(draft: Draft, path: TrackedPath, was: State, now: number): void {
  const hidden = unknown('not-seen');
  if (!joins(was, hidden)) appendChange(draft, path, was, hidden, outsider(now));
  appendChange(draft, path, hidden, ABSENT, outsider(now));
}
