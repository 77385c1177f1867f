import { displayText } from '../../index.ts';
import { nearestWord } from '../../terminal/phrases.ts';
import { beside } from '../../terminal/rows.ts';
import { padWidth, wrapWords } from '../../terminal/text-width.ts';
import { UsageError } from '../../terminal/usage-error.ts';
import { hasInOrder } from '../offers/fuzzy-list.ts';
import type { Completion } from '../ui/interactive-ui.ts';
import {
  type CommandContext,
  CommandRefused,
  noArguments,
  oneLine,
  type SlashCommand,
  wordsOf,
} from './command.ts';

/** The slash commands, by their names and aliases. */
export class CommandRegistry {
  readonly #commands: SlashCommand[] = [];
  readonly #byWord = new Map<string, SlashCommand>();
  #custom: readonly SlashCommand[] = [];

  /** Throws when a name or an alias is taken, and then takes none of them. */
  register(command: SlashCommand): void {
    const words = [command.name, ...(command.aliases ?? [])];
    for (const [at, word] of words.entries()) {
      if (!WORD.test(word)) throw new Error(`"${word}" cannot name a command`);
      if (this.#byWord.has(word) || words.indexOf(word) !== at) {
        throw new Error(`there is a command /${word} already`);
      }
    }
    for (const word of words) this.#byWord.set(word, command);
    this.#commands.push(command);
  }

  /** Commands that may change while the agent runs; they take no name of the others. */
  setCustom(commands: readonly SlashCommand[]): void {
    this.#custom = commands.filter(({ name }) => !this.#byWord.has(name));
  }

  /** By name or alias, with or without the slash. */
  get(typed: string): SlashCommand | null {
    const word = typed.startsWith('/') ? typed.slice(1) : typed;
    const name = word.toLowerCase();
    return this.#byWord.get(name) ?? this.#custom.find((one) => one.name === name) ?? null;
  }

  /** In the order in which they were registered. */
  list(): readonly SlashCommand[] {
    return [...this.#commands, ...this.#custom];
  }

  /**
   * Whether a text is for `execute`. A prompt may begin with a path (`/usr/bin/x is broken`), so a first
   * word with another slash is not a command. A text that begins with a blank is always a prompt.
   */
  isCommand(text: string): boolean {
    return text.startsWith('/') && !parse(text).name.includes('/');
  }

  /** Names by their beginning, then by some of their letters; after a name, the words that the command itself offers. */
  complete(text: string, context: CommandContext): readonly Completion[] {
    if (!this.isCommand(text)) return [];
    const { name, args, isNamed } = parse(text);
    if (!isNamed) {
      const begun = this.list().flatMap((command) => namesLike(command, name));
      const words = new Set(begun.map(({ text: word }) => word));
      const like = this.list().filter((one) => hasInOrder(one.name, name.toLowerCase()));
      const others = like.map((one) => ({ text: `/${one.name}`, summary: one.description }));
      return [...begun, ...others.filter(({ text: word }) => !words.has(word))];
    }
    const words = this.get(name)?.complete?.(args, context) ?? [];
    return words
      .filter((word) => word.startsWith(args) && word !== args)
      .map((word) => ({ text: `/${name} ${word}`, summary: '' }));
  }

  /** What the command has to say. Never rejects: what goes wrong is said in one line. */
  async execute(text: string, context: CommandContext): Promise<string | null> {
    const { name, args } = parse(text);
    const command = this.get(name);
    if (command === null) {
      // It may have been meant as a prompt, and a prompt can be long.
      if (args !== '') context.ui.setInput(text);
      return this.#unknown(name);
    }
    try {
      if (command.usage === undefined) noArguments(args);
      return await command.execute(args.trimEnd(), context);
    } catch (error) {
      if (error instanceof CommandRefused) return oneLine(error);
      if (error instanceof UsageError) return `${oneLine(error)} Usage: ${usageOf(command)}`;
      context.ui.displayError(`❌ Command execution failed: ${oneLine(error)}`);
      return null;
    }
  }

  #unknown(name: string): string {
    const words = [...this.#byWord.keys(), ...this.#custom.map((one) => one.name)];
    const begun = name === '' ? [] : words.filter((word) => word.startsWith(name.toLowerCase()));
    const near = begun[0] ?? nearestWord(name.toLowerCase(), words);
    const help = near === null ? 'see /help' : `did you mean /${near}?`;
    return `unknown command /${displayText(name.slice(0, SHOWN))}; ${help}`;
  }
}

const WORD = /^[a-z][a-z0-9-]*$/;
const SHOWN = 60;

/** As it is typed: `/label REF TEXT`. */
function usageOf({ name, usage }: SlashCommand): string {
  return usage === undefined ? `/${name}` : `/${name} ${usage}`;
}

interface Parsed {
  readonly name: string;
  /** From the first word after the name on. */
  readonly args: string;
  /** Whether the name is whole: something follows it, if only a blank. */
  readonly isNamed: boolean;
}

function parse(text: string): Parsed {
  const [, name = '', gap = '', args = ''] = /^\/(\S*)(\s*)(.*)$/s.exec(text) ?? [];
  return { name, args, isNamed: gap !== '' };
}

/** An alias only where the name itself does not fit: otherwise the same command would stand there twice. */
function namesLike({ name, aliases = [], description }: SlashCommand, begun: string): Completion[] {
  const start = begun.toLowerCase();
  if (name.startsWith(start)) return [{ text: `/${name}`, summary: description }];
  return aliases
    .filter((alias) => alias.startsWith(start))
    .map((alias) => ({ text: `/${alias}`, summary: `/${name}: ${description}` }));
}

/** Made from what the commands say of themselves. */
export function helpCommand(registry: CommandRegistry): SlashCommand {
  return {
    name: 'help',
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
  'A text that begins with a blank or with a path such as /usr/bin/x is sent as a prompt.';
const WAY_BACK = ' Esc Esc opens the rewind menu.';

function overview(
  registry: CommandRegistry,
  { paint, columns, checkpoints }: CommandContext,
): string[] {
  const lines = registry.list().flatMap((command) => {
    const usage = padWidth(usageOf(command), LABEL_COLUMN);
    const aliases = aliasesOf(command);
    const also = aliases === '' ? '' : ` (also ${aliases})`;
    return beside(`  ${paint('cyan', usage)}  `, command.description + also, columns);
  });
  return [...lines, '', ...wrapWords(CLOSING + (checkpoints === null ? '' : WAY_BACK), columns)];
}

function about(command: SlashCommand, { paint, columns }: CommandContext): string[] {
  const aliases = aliasesOf(command);
  return [
    paint('cyan', usageOf(command)),
    ...wrapWords(`  ${command.description}`, columns, 2),
    ...(aliases === '' ? [] : [`  also: ${aliases}`]),
  ];
}

function aliasesOf({ aliases = [] }: SlashCommand): string {
  return aliases.map((alias) => `/${alias}`).join(', ');
}
