import { plural, relativeTime } from '../../terminal/phrases.ts';
import type { Session } from '../sessions/session.ts';
import { noArguments, wholeText } from './arguments.ts';
import type { CommandContext, SlashCommand } from './command.ts';
import { idleOnly } from './refusals.ts';
import {
  findByName,
  findSession,
  listedSessions,
  sessionTable,
  shortTitle,
  tableOptions,
  titleOf,
} from './session-list.ts';

export const sessionsCommand: SlashCommand = {
  name: 'sessions',
  aliases: [],
  usage: '',
  description: 'the conversations of this project, newest first',
  async execute(args, context) {
    noArguments(args);
    context.ui.displayBlock(
      sessionTable(await listedSessions(context), tableOptions(context, true)),
    );
    return null;
  },
};

export const resumeCommand: SlashCommand = {
  name: 'resume',
  aliases: [],
  usage: '[ID | NAME | NUMBER]',
  description: 'take up a conversation again; without one, choose from the list',
  async execute(args, context) {
    idleOnly(context);
    const listed = await listedSessions(context);
    const chosen =
      args.trim() === '' ? await choose(listed, context) : named(listed, wholeText(args, ''));
    return chosen === null ? 'Exited conversation selection.' : takeUp(chosen, context);
  },
};

/** Takes a conversation up, unless it is the one that is open. */
export async function takeUp(session: Session, { agent }: CommandContext): Promise<string> {
  if (session.id === agent.session.id) return 'This conversation is open already.';
  await agent.switchTo(session);
  return `Resumed ${shortTitle(session)}, ${plural(session.turns.length, 'prompt')} so far.`;
}

/** A name comes first: somebody chose it, also when it is a number. */
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
