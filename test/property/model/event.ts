import type { Place } from './entry.ts';

/** One path going from one place to another, by somebody. */
export interface Event {
  readonly path: string;
  readonly by: 'agent' | 'person' | 'operation';
  /** Where it stands in the order of things; Infinity as long as nobody has looked. */
  at: number;
  /** Null for a person's and an operation's, and once the session was forgotten. */
  session: string | null;
  readonly checkpoint: string | null;
  /** The other messages whose commands can have done it: it is theirs as well. */
  coAuthors: readonly { readonly session: string | null; readonly checkpoint: string }[];
  /** Several commands could have done it, or one of which nobody told the end. */
  shared: boolean;
  /** It was met unannounced while a command ran. */
  readonly found: boolean;
  readonly before: Place;
  after: Place;
  /** The writer has not said that it is done: what anybody writes counts as its doing. */
  open: boolean;
  /** What an operation's event took back. */
  readonly takes: readonly Event[];
  /** Nobody was looking: what the path was in between is not known, nor since when. */
  unseen: boolean;
  readonly takenBy: Event[];
}

/** Whether it counts: nothing that counts itself took it back. */
export function isLive(event: Event): boolean {
  return !event.takenBy.some(isLive);
}

export const FAMILY: ReadonlyMap<string, string> = new Map([['s1-helper', 's1']]);

/** A sub-agent's session counts as the one that it works for. */
export function familyOf(session: string): string {
  return FAMILY.get(session) ?? session;
}
