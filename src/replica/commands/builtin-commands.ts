import { displayText } from '../../index.ts';
import { COVERAGE, plural } from '../../terminal/phrases.ts';
import { table } from '../../terminal/rows.ts';
import { settingsText } from '../../terminal/settings-text.ts';
import { todoRows } from '../tools/tool-rows.ts';
import {
  compactCommand,
  costCommand,
  mcpCommand,
  modelCommand,
  permissionsCommand,
} from './agent-commands.ts';
import { CheckpointCommand } from './checkpoint.ts';
import {
  type CommandContext,
  idleOnly,
  oneLine,
  type SlashCommand,
  serverLines,
} from './command.ts';
import { type CommandRegistry, helpCommand } from './command-registry.ts';
import { initCommand, loadContextCommand, showContextCommand } from './context-commands.ts';
import {
  conversationsCommand,
  deleteCommand,
  loadCommand,
  resumeCommand,
  saveCommand,
  sessionsCommand,
} from './conversations.ts';
import { exportCommand } from './export-conversation.ts';
import { diffCommand, labelCommand, redoCommand, undoCommand } from './file-commands.ts';

/** Every slash command that the agent comes with, in the order of the help. */
export function registerBuiltinCommands(registry: CommandRegistry): void {
  const commands = [
    new CheckpointCommand(),
    undoCommand,
    redoCommand,
    diffCommand,
    labelCommand,
    sessionsCommand,
    resumeCommand,
    saveCommand,
    loadCommand,
    conversationsCommand,
    deleteCommand,
    todosCommand,
    initCommand,
    showContextCommand,
    loadContextCommand,
    modelCommand,
    compactCommand,
    costCommand,
    permissionsCommand,
    mcpCommand,
    exportCommand,
    statusCommand,
    configCommand,
    clearCommand,
    verboseCommand,
    quietCommand,
    helpCommand(registry),
    exitCommand,
  ];
  for (const command of commands) registry.register(command);
}

const statusCommand: SlashCommand = {
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
};

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

const configCommand: SlashCommand = {
  name: 'config',
  description: 'what is set, and where it was set',
  async execute(_args, { ui, config, paint }) {
    ui.displayBlock(settingsText(config.effective(), paint));
    for (const warning of config.warnings) ui.displayWarning(displayText(warning));
    return null;
  },
};

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

const clearCommand: SlashCommand = {
  name: 'clear',
  description: 'begin a new conversation; the one before stays listed',
  async execute(_args, context) {
    idleOnly(context);
    await context.agent.startAnew();
    context.ui.clear();
    return 'A new conversation. The one before is listed by /sessions.';
  },
};

const verboseCommand: SlashCommand = {
  name: 'verbose',
  description: 'show thinking and the results of tools whole',
  async execute(_args, { ui }) {
    ui.setVerbose(true);
    return 'Thinking and results of tools are shown whole; /quiet folds them.';
  },
};

const quietCommand: SlashCommand = {
  name: 'quiet',
  description: 'fold thinking and the results of tools',
  async execute(_args, { ui }) {
    ui.setVerbose(false);
    return 'Thinking and results of tools are folded; /verbose shows them.';
  },
};

const exitCommand: SlashCommand = {
  name: 'exit',
  aliases: ['quit'],
  description: 'leave; the conversation stays listed',
  async execute(_args, { agent }) {
    agent.exit();
    return null;
  },
};
