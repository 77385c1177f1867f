import { same } from './entry.ts';
import { type Event, familyOf, isLive } from './event.ts';
import type { Checkpoint } from './timeline.ts';

export type Take = 'since' | 'message' | 'exact';

export interface Taken {
  readonly set: ReadonlySet<Event>;
  /** Paths of which nothing is taken back because all of it is shared. */
  readonly leftOut: readonly string[];
}

/** Of the events that would be taken back, those that are without a special wish. */
export function withoutShared(all: ReadonlySet<Event>, take: Take): Taken {
  const isCertain = ({ shared, coAuthors }: Event): boolean =>
    !shared && (take !== 'message' || coAuthors.length === 0);
  const set = new Set([...all].filter(isCertain));
  const paths = new Set([...set].map(({ path }) => path));
  const leftOut = [...all].map(({ path }) => path).filter((path) => !paths.has(path));
  return { set, leftOut: [...new Set(leftOut)] };
}

/** The events that a rewind to `checkpoint` takes back, out of all there are. */
export function setOf(events: readonly Event[], checkpoint: Checkpoint, take: Take): Set<Event> {
  if (take === 'message') return new Set(events.filter(isOfMessage(checkpoint)));
  const since = events.filter(({ at }) => at > checkpoint.at);
  if (take === 'exact') return new Set(everybodys(since));
  return new Set(
    checkpoint.session === null ? allAgents(since) : ofFamily(since, checkpoint.session),
  );
}

function isOfMessage({ id }: Checkpoint): (event: Event) => boolean {
  return (event) =>
    [event, ...event.coAuthors].some(({ checkpoint }) => checkpoint === id) && isLive(event);
}

function ofFamily(since: readonly Event[], session: string): Event[] {
  const family = familyOf(session);
  const isOfFamily = (one: { readonly session: string | null }): boolean =>
    one.session !== null && familyOf(one.session) === family;
  return since.filter((event) => [event, ...event.coAuthors].some(isOfFamily) && isLive(event));
}

/**
 * Whoever did it, and taken back already or not. Left out are paths where nothing was recorded since,
 * and those that are as they were with nothing left to take back.
 */
function everybodys(since: readonly Event[]): Event[] {
  return [...Map.groupBy(since, ({ path }) => path).values()]
    .filter((events) => {
      const recorded = events.filter(({ at }) => at !== Infinity);
      return recorded.length > 0 && (unpaired(recorded).length > 0 || !isRoundTrip(events));
    })
    .flat();
}

function isRoundTrip(events: readonly Event[]): boolean {
  const now = events.at(-1)?.after ?? null;
  return !events[0]?.unseen && same(events[0]?.before ?? null, now);
}

/** Of a checkpoint that belongs to no session: what all agents did, and what was rewound. */
function allAgents(since: readonly Event[]): Event[] {
  const ours = since.filter(({ by }) => by !== 'person');
  return [...Map.groupBy(ours, ({ path }) => path).values()].flatMap(unpaired);
}

/** Of one path: an operation that took back nothing but these cancels itself out with what it took. */
function unpaired(events: readonly Event[]): Event[] {
  const all = new Set(events);
  // Where people's changes come back, what lies between them cannot be left out any more.
  const tookPeoples = (event: Event): boolean =>
    event.takes.some((taken) => taken.by === 'person' && !all.has(taken));
  if (events.some((event) => isLive(event) && tookPeoples(event))) return [...events];
  const reachesBack = (event: Event): boolean =>
    all.has(event) &&
    event.by === 'operation' &&
    isLive(event) &&
    (event.takes.length === 0 || event.takes.some((taken) => !all.has(taken)));
  return events.filter((event) => {
    if (event.by === 'operation' && isLive(event)) return reachesBack(event);
    return isLive(event) || event.takenBy.some(reachesBack);
  });
}
