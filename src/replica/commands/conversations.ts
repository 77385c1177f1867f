import { relative, resolve } from 'node:path';
import { kindOf } from '../../fs/entries.ts';
import { writeFile } from '../../fs/write-file.ts';
import { displayText } from '../../index.ts';
import type { Paint } from '../../terminal/paint.ts';
import { plural, relativeTime, shortSession } from '../../terminal/phrases.ts';
import { table } from '../../terminal/rows.ts';
import { clipWidth } from '../../terminal/text-width.ts';
import { findByName, type Session } from '../sessions/session-manager.ts';
import { toolLine } from '../tools/tool-line.ts';
import type { ConversationEntry } from '../ui/interactive-ui.ts';
import {
  type CommandContext,
  CommandRefused,
  idleOnly,
  refusing,
  type SlashCommand,
  wholeText,
} from './command.ts';
import { fileNames } from './context-commands.ts';

export const conversationCommands: readonly SlashCommand[] = [
  {
    name: 'sessions',
    description: 'the conversations of this project, newest first',
    async execute(_args, context) {
      displayTable(await listedSessions(context), context, true);
      return null;
    },
  },
  {
    name: 'resume',
    usage: '[ID | NAME | NUMBER]',
    description: 'take up a conversation again; without one, choose from the list',
    async execute(args, context) {
      idleOnly(context);
      const listed = await listedSessions(context);
      const chosen =
        args.trim() === '' ? await choose(listed, context) : named(listed, wholeText(args, ''));
      return chosen === null ? 'Exited conversation selection.' : takeUp(chosen, context);
    },
  },
  {
    name: 'save',
    usage: 'NAME',
    description: 'give this conversation a name to load it by',
    async execute(args, context) {
      const name = wholeText(args, 'Under which name?');
      const { agent, sessions } = context;
      await refusing(agent.updateSession((session) => sessions.save(session, name)));
      const shown = displayText(name);
      return `Saved as "${shown}"; take it up again with /load ${shown}`;
    },
  },
  {
    name: 'load',
    usage: 'NAME',
    description: 'take up a conversation that was saved',
    async execute(args, context) {
      idleOnly(context);
      const name = wholeText(args, 'Which conversation?');
      const found = findByName(await listedSessions(context), name);
      if (found !== null) return takeUp(found, context);
      throw new CommandRefused(
        `No conversation is called "${displayText(name)}"; see /conversations`,
      );
    },
  },
  {
    name: 'conversations',
    description: 'the conversations that were saved under a name',
    async execute(_args, context) {
      const saved = (await listedSessions(context)).filter(({ name }) => name !== null);
      if (saved.length === 0) return 'No conversation was saved yet; /save NAME saves this one.';
      displayTable(saved, context, false);
      return null;
    },
  },
  {
    name: 'delete',
    usage: 'NAME | ID',
    description: 'delete a conversation, after asking',
    async execute(args, context) {
      const wanted = wholeText(args, 'Which conversation?');
      const found = findSession(await listedSessions(context), wanted);
      if (found.id === context.agent.session.id) {
        throw new CommandRefused('This conversation is open; begin another one with /clear first.');
      }
      const what = `${shortTitle(found)} (${plural(found.turns.length, 'prompt')})`;
      const sure = await context.ui.confirm(
        `Delete the conversation ${what} for good? What is on record of files stays.`,
      );
      if (!sure) return 'Nothing was deleted.';
      await context.sessions.delete(found.id);
      return `Deleted ${shortTitle(found)}.`;
    },
  },
];

/** Takes a conversation up, unless it is the one that is open. */
async function takeUp(session: Session, { agent }: CommandContext): Promise<string> {
  if (session.id === agent.session.id) return 'This conversation is open already.';
  await agent.switchTo(session);
  return `Resumed ${shortTitle(session)}, ${plural(session.turns.length, 'prompt')} so far.`;
}

/** A name counts before a number: a person may have named a conversation "2". */
function named(listed: readonly Session[], wanted: string): Session {
  const numbered = /^\d{1,4}$/.test(wanted) ? listed[Number(wanted) - 1] : undefined;
  return findByName(listed, wanted) ?? numbered ?? findSession(listed, wanted);
}

async function choose(
  listed: readonly Session[],
  { ui, agent, now }: CommandContext,
): Promise<Session | null> {
  const items = listed.map((session) => {
    const { id, updatedAt, turns } = session;
    const open = id === agent.session.id ? ', open now' : '';
    const age = relativeTime(updatedAt.getTime(), now());
    return { id, text: `${titleOf(session)}\n${age}, ${plural(turns.length, 'prompt')}${open}` };
  });
  const id = await ui.select('Conversations', items);
  return listed.find((session) => session.id === id) ?? null;
}

/** The conversations of the project, newest first and with the open one; numbers count in this order. */
async function listedSessions({ ui, sessions, agent }: CommandContext): Promise<Session[]> {
  const { session: open } = agent;
  const { sessions: kept, problems } = await sessions.list(open.project);
  for (const problem of problems) ui.displayWarning(displayText(problem));
  return kept.some(({ id }) => id === open.id) ? [...kept] : [open, ...kept];
}

interface SessionTableOptions {
  /** The id of the conversation that is open, if one is. */
  readonly open: string | null;
  readonly now: number;
  readonly columns: number;
  readonly paint: Paint;
  readonly numbered: boolean;
}

function displayTable(
  listed: readonly Session[],
  { ui, agent, now, columns, paint }: CommandContext,
  numbered: boolean,
): void {
  const options = { open: agent.session.id, now: now(), columns, paint, numbered };
  ui.displayBlock(sessionTable(listed, options));
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
function titleOf({ name, turns }: Session): string {
  const first = displayText(turns[0]?.prompt.trim().replace(/\s+/g, ' ') ?? '');
  if (name === null) return first === '' ? '(empty)' : first;
  return first === '' ? `"${displayText(name)}"` : `"${displayText(name)}" ${first}`;
}

const SHOWN = 60;

/** For a sentence: its name, or the beginning of what it is about. */
function shortTitle(session: Session): string {
  const { name } = session;
  return `"${clipWidth(name === null ? titleOf(session) : displayText(name), SHOWN)}"`;
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

export const exportCommand: SlashCommand = {
  name: 'export',
  usage: 'FILE',
  description: 'write the conversation into a file, as Markdown',
  complete: (args, { agent }) => fileNames(agent.session.project, args),
  async execute(args, context) {
    const { agent, ui } = context;
    // A file that appears beside the agent's work would count as its own, and go with a rewind.
    idleOnly(context);
    const { project } = agent.session;
    const file = resolve(project, wholeText(args, 'Into which file?'));
    const shown = displayText(relative(project, file) || file);
    const kind = kindOf(file);
    if (kind !== 'absent' && kind !== 'file') {
      throw new CommandRefused(`${shown} is not a plain file; choose another name.`);
    }
    const entries = await agent.past();
    if (entries.length === 0) return 'Nothing was said yet.';
    if (kind === 'file' && !(await ui.confirm(`${shown} is there already. Replace it?`))) {
      return `${shown} stays as it is.`;
    }
    const text = conversationText(entries, project);
    writeFile(file, Buffer.from(text), { mode: 0o644, onlyNew: kind === 'absent' });
    return `The conversation is in ${shown}.`;
  },
};

/** Prompts as quotations, answers as they are, tool calls in a line each. */
function conversationText(entries: readonly ConversationEntry[], project: string): string {
  const parts = entries.flatMap((entry): string[] => {
    switch (entry.kind) {
      case 'user':
        return [entry.text.replaceAll(/^/gm, '> ')];
      case 'answer':
        return [entry.text.trim()];
      case 'tool':
        return [`- \`${toolLine(entry.call, project).replaceAll('`', "'")}\``];
      default:
        return [];
    }
  });
  return `# Conversation in ${displayText(project)}\n\n${parts.join('\n\n')}\n`;
}
