import { displayText, type ListedCheckpoint, RUN_AGENT, type Session } from '../index.ts';
import { relativeTime } from './relative-time.ts';
import { shortSession } from './short-session.ts';
import { clipWidth } from './text-width.ts';

/** Checkpoints that are shown under one heading. */
export interface Group {
  readonly heading: string;
  readonly checkpoints: readonly ListedCheckpoint[];
}

/** By session, the one with the newest checkpoint first. What belongs to none stands together. */
export function groupBySession(
  checkpoints: readonly ListedCheckpoint[],
  sessions: readonly Session[],
  now: number,
): Group[] {
  const ids = sessions.map(({ id }) => id);
  const byId = new Map(sessions.map((session) => [session.id, session]));
  const groups = Map.groupBy(checkpoints, keyOf);
  return [...groups].map(([key, members]) => {
    const session = byId.get(key);
    const heading = session === undefined ? headingOf(key, members) : title(session, ids, now);
    return { heading, checkpoints: members };
  });
}

// Keys that no id of a session can have: those are never empty.
const NO_SESSION = '';

/** Each run of `savepoint run` is a session of its own; a heading for each would say nothing. */
function keyOf({ sessionId, agent }: ListedCheckpoint): string {
  if (sessionId === null) return NO_SESSION;
  return agent === RUN_AGENT ? `${NO_SESSION} ${RUN_AGENT}` : sessionId;
}

function headingOf(key: string, members: readonly ListedCheckpoint[]): string {
  if (key !== NO_SESSION) return 'savepoint run';
  const kinds = new Set(members.map(({ kind }) => kind));
  const words = [
    ...(kinds.has('manual') ? ['by hand'] : []),
    ...(kinds.has('safety') ? ['kept before rewinds'] : []),
  ];
  return words.length === 0 ? 'no session' : words.join(', ');
}

const LONGEST_NAME = 30;

function title(session: Session, ids: readonly string[], now: number): string {
  const { agent, id, rootId, lastActiveAt, archivedAt } = session;
  const words = [
    `${shown(agent)}  ${shown(shortSession(id, ids))}`,
    `active ${relativeTime(lastActiveAt, now)}`,
    ...(archivedAt === null ? [] : ['archived']),
    ...(rootId === id ? [] : [`part of ${shown(shortSession(rootId, ids))}`]),
  ];
  return words.join(', ').replace(', ', '  ');
}

function shown(text: string): string {
  return clipWidth(displayText(text), LONGEST_NAME);
}
