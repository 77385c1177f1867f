import { displayText } from '../../index.ts';
import { plural } from '../../terminal/phrases.ts';
import { noArguments, wholeText } from './arguments.ts';
import type { SlashCommand } from './command.ts';
import { CommandRefused, idleOnly, refusing } from './refusals.ts';
import {
  findByName,
  findSession,
  listedSessions,
  sessionTable,
  shortTitle,
  tableOptions,
} from './session-list.ts';
import { takeUp } from './sessions.ts';

export const saveCommand: SlashCommand = {
  name: 'save',
  aliases: [],
  usage: 'NAME',
  description: 'give this conversation a name to load it by',
  async execute(args, context) {
    const name = wholeText(args, 'Under which name?');
    const { agent, sessions } = context;
    await refusing(agent.updateSession((session) => sessions.save(session, name)));
    const shown = displayText(name);
    return `Saved as "${shown}"; take it up again with /load ${shown}`;
  },
};

export const loadCommand: SlashCommand = {
  name: 'load',
  aliases: [],
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
};

export const conversationsCommand: SlashCommand = {
  name: 'conversations',
  aliases: [],
  usage: '',
  description: 'the conversations that were saved under a name',
  async execute(args, context) {
    noArguments(args);
    const saved = (await listedSessions(context)).filter(({ name }) => name !== null);
    if (saved.length === 0) return 'No conversation was saved yet; /save NAME saves this one.';
    context.ui.displayBlock(sessionTable(saved, tableOptions(context, false)));
    return null;
  },
};

export const deleteCommand: SlashCommand = {
  name: 'delete',
  aliases: [],
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
};
