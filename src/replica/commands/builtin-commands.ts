import { displayText } from '../../index.ts';
import { COVERAGE, plural } from '../../terminal/phrases.ts';
import { table } from '../../terminal/rows.ts';
import { settingsText } from '../../terminal/settings-text.ts';
import { todoRows } from '../tools/tool-rows.ts';
import { CheckpointCommand } from './checkpoint.ts';
import {
  type CommandContext,
  CommandRefused,
  idleOnly,
  oneLine,
  type SlashCommand,
} from './command.ts';
import { type CommandRegistry, helpCommand } from './command-registry.ts';
import { contextCommands } from './context-commands.ts';
import { conversationCommands, exportCommand } from './conversations.ts';
import { fileCommands } from './file-commands.ts';

/** Every slash command that the agent comes with, in the order of the help. */
export function registerBuiltinCommands(registry: CommandRegistry): void {
  const commands = [
    new CheckpointCommand(),
    ...fileCommands,
    ...conversationCommands,
    todosCommand,
    ...contextCommands,
    ...agentCommands,
    exportCommand,
    ...otherCommands,
    helpCommand(registry),
    exitCommand,
  ];
  for (const command of commands) registry.register(command);
}

const todosCommand: SlashCommand = {
  name: 'todos',
  description: 'what the agent has put on its list of things to do',
  async execute(_args, { agent, ui, paint, columns }) {
    const todos = agent.todos();
    if (todos.length === 0) return 'The agent has no list of things to do.';
    ui.displayBlock(todoRows(todos, columns, paint));
    return null;
  },
};

const agentCommands: readonly SlashCommand[] = [
  {
    name: 'model',
    usage: '[NAME]',
    description: 'which model answers; another one from the next prompt on',
    async execute(args, context) {
      const { agent, ui } = context;
      idleOnly(context);
      const name = args.trim() === '' ? await chosenModel(context) : args.trim();
      if (name === null) return `The model stays ${displayText(agent.status)}.`;
      await agent.setModel(name);
      ui.displaySuccess(`${displayText(name)} answers from your next prompt on.`);
      return null;
    },
  },
  {
    name: 'compact',
    usage: '[WHAT TO KEEP]',
    description: 'have the conversation summed up, so that it takes less room',
    async execute(args, context) {
      idleOnly(context);
      const { agent } = context;
      if (agent.session.turns.length === 0) return 'Nothing was said yet.';
      // The SDK does it itself when it reads this as a prompt.
      agent.submit(`/compact ${args}`.trim());
      return null;
    },
  },
  {
    name: 'cost',
    description: 'what the conversation has cost since it was opened, and its tokens',
    async execute(_args, { agent, ui }) {
      const usage = agent.usage();
      if (usage === null) return 'Nothing was asked yet.';
      const number = (value: number): string => value.toLocaleString('en-US');
      ui.displayBlock(
        table([
          ['Cost', `$${usage.costUSD.toFixed(4)} (an estimate, not a bill)`],
          ...usage.models.map(({ name, input, output, cached }) => [
            displayText(name),
            `${number(input)} tokens in, ${number(output)} out, ${number(cached)} from its cache`,
          ]),
        ]),
      );
      return null;
    },
  },
  {
    name: 'permissions',
    description: 'what you have allowed always in this conversation; take it back',
    async execute(_args, context) {
      const { agent, ui } = context;
      idleOnly(context);
      const granted = agent.permissions.granted();
      if (granted.length === 0) {
        return 'You have allowed nothing for the whole conversation; each tool that changes something asks.';
      }
      const items = granted.map(({ id, text }) => ({ id, text: displayText(text) }));
      const title = 'Allowed always in this conversation; choose what to take back';
      const chosen = await ui.select(title, items);
      const grant = items.find(({ id }) => id === chosen);
      if (grant === undefined) return 'All of it stays allowed.';
      await agent.permissions.takeBack(grant.id);
      return `Taken back: ${grant.text}. It asks again.`;
    },
  },
  {
    name: 'mcp',
    description: 'the MCP servers of the configuration, and how they are',
    async execute(_args, context) {
      const lines = await serverLines(context);
      if (lines.length === 0) return 'No MCP server is set; see docs/configuration.md.';
      context.ui.displayBlock(lines.map((line) => `  ${line}`));
      return null;
    },
  },
];

async function chosenModel({ agent, ui }: CommandContext): Promise<string | null> {
  const models = await agent.models();
  if (models.length === 0) {
    throw new CommandRefused(
      `${displayText(agent.status)} answers. The list of models is there after your first prompt; /model NAME works at once.`,
    );
  }
  const items = models.map(({ value, displayName, description }) => ({
    id: value,
    text: `${displayText(displayName)}\n${displayText(description)}`,
  }));
  return ui.select(`The model (now ${displayText(agent.status)})`, items);
}

const otherCommands: readonly SlashCommand[] = [
  {
    name: 'status',
    description: 'the conversation, the model, checkpoints, what is on record, MCP servers',
    async execute(_args, context) {
      const { ui, agent, checkpoints } = context;
      const { id, name, turns, project } = agent.session;
      const kept = checkpoints?.listCheckpoints().length;
      const called = name === null ? '' : ` "${displayText(name)}"`;
      const rows = [
        ['Conversation', `${id}${called}, ${plural(turns.length, 'prompt')}`],
        ['Project', displayText(project)],
        ['Model', displayText(agent.status)],
        ['Agent', agent.isBusy ? 'at work' : 'waits for a prompt'],
        ['Checkpoints', checkpoints === null ? 'turned off' : `${kept} of this conversation`],
        ['Files', await coverageOf(context)],
        ...(await serverRows(context)),
      ];
      ui.displayBlock(table(rows));
      return null;
    },
  },
  {
    name: 'config',
    description: 'what is set, and where it was set',
    async execute(_args, { ui, config, paint }) {
      ui.displayBlock(settingsText(config.effective(), paint));
      for (const warning of config.warnings) ui.displayWarning(displayText(warning));
      return null;
    },
  },
  {
    name: 'clear',
    description: 'begin a new conversation; the one before stays listed',
    async execute(_args, context) {
      idleOnly(context);
      await context.agent.startAnew();
      context.ui.clear();
      return 'A new conversation. The one before is listed by /sessions.';
    },
  },
  {
    name: 'verbose',
    description: 'show thinking and the results of tools whole',
    async execute(_args, { ui }) {
      ui.setVerbose(true);
      return 'Thinking and results of tools are shown whole; /quiet folds them.';
    },
  },
  {
    name: 'quiet',
    description: 'fold thinking and the results of tools',
    async execute(_args, { ui }) {
      ui.setVerbose(false);
      return 'Thinking and results of tools are folded; /verbose shows them.';
    },
  },
];

/** As of the newest checkpoint: whether a rewind to it would miss something. */
async function coverageOf({ files }: CommandContext): Promise<string> {
  if (files === null) return 'not on record';
  const all = await files.savepoint.list();
  const [newest] = all;
  if (newest === undefined) return 'on record from the first prompt on';
  return `on record: ${COVERAGE[newest.coverage]}; ${plural(all.length, 'checkpoint')} in all`;
}

async function serverRows(context: CommandContext): Promise<string[][]> {
  const title = 'MCP servers';
  try {
    const lines = await serverLines(context);
    if (lines.length === 0) return [[title, 'none']];
    return lines.map((line, at) => [at === 0 ? title : '', line]);
  } catch (error) {
    // The other rows are still useful.
    return [[title, `cannot be asked: ${oneLine(error)}`]];
  }
}

/** A line for each MCP server: its name, how it is, and why. */
async function serverLines({ agent }: CommandContext): Promise<string[]> {
  const servers = await agent.mcpServers();
  return servers.map(({ name, status, error }) => {
    const why = error === undefined ? '' : `: ${displayText(error)}`;
    return `${displayText(name)}  ${displayText(status)}${why}`;
  });
}

const exitCommand: SlashCommand = {
  name: 'exit',
  aliases: ['quit'],
  description: 'leave; the conversation stays listed',
  async execute(_args, { agent }) {
    agent.exit();
    return null;
  },
};
