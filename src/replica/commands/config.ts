import { displayText } from '../../index.ts';
import type { EffectiveValue } from '../config/replica-config.ts';
import { noArguments } from './arguments.ts';
import type { SlashCommand } from './command.ts';
import { table } from './table.ts';

export const configCommand: SlashCommand = {
  name: 'config',
  aliases: [],
  usage: '',
  description: 'what is set, and where it was set',
  async execute(args, { ui, config, columns }) {
    noArguments(args);
    const rows = config.effective().map((one) => [one.key, shownValue(one), originOf(one)]);
    ui.displayBlock(table(rows, columns));
    return null;
  },
};

/** Of servers the names only: how one is reached may hold a key. */
function shownValue({ key, value }: EffectiveValue): string {
  if (key !== 'mcpServers') return displayText(JSON.stringify(value) ?? 'nothing');
  return displayText(Object.keys(value ?? {}).join(', ')) || 'none';
}

function originOf({ origin, source }: EffectiveValue): string {
  return source === null ? origin : `${origin}: ${displayText(source)}`;
}
