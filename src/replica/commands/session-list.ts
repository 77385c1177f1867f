import { displayText } from '../../index.ts';
import type { Paint } from '../../terminal/paint.ts';
import { plural, relativeTime, shortSession } from '../../terminal/phrases.ts';
import { table } from '../../terminal/rows.ts';
import { clipWidth } from '../../terminal/text-width.ts';
import type { Session } from '../sessions/session.ts';
import type { CommandContext } from './command.ts';
import { CommandRefused } from './refusals.ts';

/** The conversations of the project, newest first and with the open one; numbers count in this order. */
export async function listedSessions({ ui, sessions, agent }: CommandContext): Promise<Session[]> {
  const { session: open } = agent;
  const { sessions: kept, problems } = await sessions.list(open.project);
  for (const problem of problems) ui.displayWarning(displayText(problem));
  return kept.some(({ id }) => id === open.id) ? [...kept] : [open, ...kept];
}

export interface SessionTableOptions {
  /** The id of the conversation that is open, if one is. */
  readonly open: string | null;
  readonly now: number;
  readonly columns: number;
  readonly paint: Paint;
  readonly numbered: boolean;
}

export function tableOptions(context: CommandContext, numbered: boolean): SessionTableOptions {
  const { agent, now, columns, paint } = context;
  return { open: agent.session.id, now: now(), columns, paint, numbered };
}

/** The open one is marked. Numbers are those of `listedSessions`, and given where all of these are shown. */
export function sessionTable(
  listed: readonly Session[],
  { open, now, columns, paint, numbered }: SessionTableOptions,
): string[] {
  const ids = listed.map(({ id }) => id);
  const rows = listed.map((session, at) => [
    `${session.id === open ? '*' : ' '}${numbered ? ` ${at + 1}` : ''}`,
    shortSession(session.id, ids),
    relativeTime(session.updatedAt.getTime(), now),
    plural(session.turns.length, 'prompt'),
    titleOf(session),
  ]);
  const lines = table(rows, columns);
  return lines.map((line, at) => (listed[at]?.id === open ? paint('bold', line) : line));
}

/** Its name, and what it began with. */
export function titleOf({ name, turns }: Session): string {
  const first = displayText(turns[0]?.prompt.trim().replace(/\s+/g, ' ') ?? '');
  if (name === null) return first === '' ? '(empty)' : first;
  return first === '' ? `"${displayText(name)}"` : `"${displayText(name)}" ${first}`;
}

const SHOWN = 60;

/** For a sentence: its name, or the beginning of what it is about. */
export function shortTitle(session: Session): string {
  const { name } = session;
  return `"${clipWidth(name === null ? titleOf(session) : displayText(name), SHOWN)}"`;
}

/** By its whole name. */
export function findByName(listed: readonly Session[], name: string): Session | null {
  const wanted = name.trim().normalize();
  return listed.find((session) => session.name?.normalize() === wanted) ?? null;
}

const SHORTEST_ID = 4;

/** By name, or by the beginning of an id. `seen`: what shows them all. */
export function findSession(
  listed: readonly Session[],
  wanted: string,
  seen: string = '/sessions',
): Session {
  const named = findByName(listed, wanted);
  if (named !== null) return named;
  const start = wanted.toLowerCase();
  const fitting = start.length < SHORTEST_ID ? [] : listed.filter(({ id }) => id.startsWith(start));
  const [found] = fitting;
  if (found !== undefined && fitting.length === 1) return found;
  const shown = `"${displayText(wanted.slice(0, SHOWN))}"`;
  throw new CommandRefused(
    found === undefined
      ? `No conversation ${shown}; see ${seen}`
      : `${shown} fits ${fitting.length} conversations; type more of the id`,
  );
}
