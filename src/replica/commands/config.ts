import { displayText } from '../../index.ts';
import { configText } from '../config/config-text.ts';
import { noArguments } from './arguments.ts';
import type { SlashCommand } from './command.ts';

export const configCommand: SlashCommand = {
  name: 'config',
  aliases: [],
  usage: '',
  description: 'what is set, and where it was set',
  async execute(args, { ui, config, paint }) {
    noArguments(args);
    ui.displayBlock(configText(config.effective(), paint));
    for (const warning of config.warnings) ui.displayWarning(displayText(warning));
    return null;
  },
};
