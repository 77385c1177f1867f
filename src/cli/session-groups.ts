import { displayText, type ListedCheckpoint, RUN_AGENT, type Session } from '../index.ts';
import { relativeTime, shortSession } from '../terminal/phrases.ts';
import { clipWidth } from '../terminal/text-width.ts';

/** Checkpoints that are shown under one heading. */
export interface Group {
  readonly heading: string;
  readonly checkpoints: readonly ListedCheckpoint[];
}

/**
 * By session, the one with the newest checkpoint first. What was made by hand stands together, and last what
 * rewinds kept: that is there to be found, not to be looked at.
 */
export function groupBySession(
  checkpoints: readonly ListedCheckpoint[],
  sessions: readonly Session[],
  now: number,
): Group[] {
  const ids = sessions.map(({ id }) => id);
  const byId = new Map(sessions.map((session) => [session.id, session]));
  const groups = [...Map.groupBy(checkpoints, keyOf)].map(([key, members]) => {
    if (typeof key === 'symbol')
      return { key, heading: key.description ?? '', checkpoints: members };
    const session = byId.get(key);
    // A session that ended in between is known by its id alone.
    const heading = session === undefined ? shown(key) : title(session, ids, now);
    return { key, heading, checkpoints: members };
  });
  return groups.toSorted((a, b) => Number(a.key === SAFETY) - Number(b.key === SAFETY));
}

// What holds no session; ids are texts, so that none can be taken for these.
const SAFETY = Symbol('kept before rewinds');
const BY_HAND = Symbol('by hand');
const RUNS = Symbol('savepoint run');

/** Each run of `savepoint run` is a session of its own; a heading for each would say nothing. */
function keyOf({ sessionId, agent, kind }: ListedCheckpoint): string | symbol {
  if (sessionId === null) return kind === 'safety' ? SAFETY : BY_HAND;
  return agent === RUN_AGENT ? RUNS : sessionId;
}

const LONGEST_NAME = 30;

function title(session: Session, ids: readonly string[], now: number): string {
  const { agent, id, rootId, lastActiveAt, archivedAt } = session;
  const about = [
    `active ${relativeTime(lastActiveAt, now)}`,
    ...(archivedAt === null ? [] : ['archived']),
    ...(rootId === id ? [] : [`part of ${shown(shortSession(rootId, ids))}`]),
  ];
  return `${shown(agent)}  ${shown(shortSession(id, ids))}  ${about.join(', ')}`;
}

function shown(text: string): string {
  return clipWidth(displayText(text), LONGEST_NAME);
}
