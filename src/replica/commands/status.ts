import { displayText } from '../../index.ts';
import { COVERAGE, plural } from '../../terminal/phrases.ts';
import { table } from '../../terminal/rows.ts';
import { noArguments } from './arguments.ts';
import type { CommandContext, SlashCommand } from './command.ts';
import { oneLine } from './one-line.ts';

export const statusCommand: SlashCommand = {
  name: 'status',
  aliases: [],
  usage: '',
  description: 'the conversation, the model, checkpoints, what is on record, MCP servers',
  async execute(args, context) {
    noArguments(args);
    const { ui, agent } = context;
    const { id, name, turns, project } = agent.session;
    const called = name === null ? '' : ` "${displayText(name)}"`;
    const rows = [
      ['Conversation', `${id}${called}, ${plural(turns.length, 'prompt')}`],
      ['Project', displayText(project)],
      ['Model', displayText(agent.status)],
      ['Agent', agent.isBusy ? 'at work' : 'waits for a prompt'],
      ['Checkpoints', checkpointsOf(context)],
      ['Files', await coverageOf(context)],
      ...(await serverRows(context)),
    ];
    ui.displayBlock(table(rows));
    return null;
  },
};

function checkpointsOf({ checkpoints }: CommandContext): string {
  if (checkpoints === null) return 'turned off';
  return `${checkpoints.listCheckpoints().length} of this conversation`;
}

/** As of the newest checkpoint: whether a rewind to it would miss something. */
async function coverageOf({ files }: CommandContext): Promise<string> {
  if (files === null) return 'not on record';
  const all = await files.checkpoints();
  const [newest] = all;
  if (newest === undefined) return 'on record from the first prompt on';
  return `on record: ${COVERAGE[newest.coverage]}; ${plural(all.length, 'checkpoint')} in all`;
}

async function serverRows({ agent }: CommandContext): Promise<string[][]> {
  const title = 'MCP servers';
  try {
    const servers = await agent.mcpServers();
    if (servers.length === 0) return [[title, 'none']];
    return servers.map(({ name, status, error }, at) => {
      const why = error === undefined ? '' : `: ${displayText(error)}`;
      return [at === 0 ? title : '', `${displayText(name)}  ${displayText(status)}${why}`];
    });
  } catch (error) {
    // The others are worth knowing all the same.
    return [[title, `cannot be asked: ${oneLine(error)}`]];
  }
}
