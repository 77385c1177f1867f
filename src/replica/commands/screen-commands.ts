import { noArguments } from './arguments.ts';
import type { SlashCommand } from './command.ts';
import { idleOnly } from './refusals.ts';

export const clearCommand: SlashCommand = {
  name: 'clear',
  aliases: [],
  usage: '',
  description: 'begin a new conversation; the one before stays listed',
  async execute(args, context) {
    noArguments(args);
    idleOnly(context);
    await context.agent.startAnew();
    context.ui.clear();
    return 'A new conversation. The one before is listed by /sessions.';
  },
};

export const verboseCommand: SlashCommand = {
  name: 'verbose',
  aliases: [],
  usage: '',
  description: 'show thinking and the results of tools whole',
  async execute(args, { agent }) {
    noArguments(args);
    agent.setVerbose(true);
    return 'Thinking and results of tools are shown whole; /quiet folds them.';
  },
};

export const quietCommand: SlashCommand = {
  name: 'quiet',
  aliases: [],
  usage: '',
  description: 'fold thinking and the results of tools',
  async execute(args, { agent }) {
    noArguments(args);
    agent.setVerbose(false);
    return 'Thinking and results of tools are folded; /verbose shows them.';
  },
};

export const exitCommand: SlashCommand = {
  name: 'exit',
  aliases: ['quit'],
  usage: '',
  description: 'leave; the conversation stays listed',
  async execute(args, { agent }) {
    noArguments(args);
    agent.exit();
    return null;
  },
};
