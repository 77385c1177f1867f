import { displayText } from '../../index.ts';
import type { Paint } from '../../terminal/paint.ts';
import { beside } from '../../terminal/rows.ts';
import { padWidth, textWidth, wrapWords } from '../../terminal/text-width.ts';
import { wordsOf } from './arguments.ts';
import type { CommandContext, SlashCommand } from './command.ts';
import { type CommandRegistry, usageOf } from './command-registry.ts';
import { CommandRefused } from './refusals.ts';

/** Made from what the commands say of themselves. */
export function helpCommand(registry: CommandRegistry): SlashCommand {
  return {
    name: 'help',
    aliases: [],
    usage: '[COMMAND]',
    description: 'the commands, or one of them',
    complete: () => registry.list().map(({ name }) => name),
    async execute(args, context) {
      const [name] = wordsOf(args, 1);
      const command = name === undefined ? null : registry.get(name);
      if (name !== undefined && command === null) {
        throw new CommandRefused(`There is no command "${displayText(name)}"; see /help`);
      }
      const lines = command === null ? overview(registry, context) : about(command, context);
      context.ui.displayBlock(lines);
      return null;
    },
  };
}

const LABEL_COLUMN = 28;
const CLOSING =
  'A text that begins with a blank or with a path such as /usr/bin/x is sent as a prompt. Esc Esc opens the rewind menu.';

function overview(registry: CommandRegistry, { paint, columns }: CommandContext): string[] {
  return [
    ...registry.list().flatMap((command) => line(command, paint, columns)),
    '',
    ...wrapWords(CLOSING, columns),
  ];
}

function line(command: SlashCommand, paint: Paint, columns: number): string[] {
  const usage = padWidth(usageOf(command), LABEL_COLUMN);
  const label = { text: `  ${paint('cyan', usage)}  `, width: textWidth(usage) + 4 };
  const aliases = aliasesOf(command);
  const also = aliases === '' ? '' : ` (also ${aliases})`;
  return beside(label, command.description + also, columns);
}

function about(command: SlashCommand, { paint, columns }: CommandContext): string[] {
  const aliases = aliasesOf(command);
  return [
    paint('cyan', usageOf(command)),
    ...wrapWords(`  ${command.description}`, columns, 2),
    ...(aliases === '' ? [] : [`  also: ${aliases}`]),
  ];
}

function aliasesOf({ aliases }: SlashCommand): string {
  return aliases.map((alias) => `/${alias}`).join(', ');
}
