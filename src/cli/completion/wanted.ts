import { COMMON_OPTIONS, type Command, type Completes, type Option } from '../command.ts';

/** What stands at the cursor: which things fit there, and the part that was typed already. */
export interface Wanted {
  readonly what: Completes | 'command' | 'option' | null;
  readonly typed: string;
  /** What belongs to the same word and stays: `--session=`. */
  readonly before: string;
  /** The options that were given so far, with their values. */
  readonly values: ReadonlyMap<string, string>;
}

/** `words` follow the name of the program; the last one is the one at the cursor, perhaps empty. */
export function wantedAt(command: Command | null, words: readonly string[]): Wanted {
  const typed = words.at(-1) ?? '';
  const nothing: Wanted = { what: null, typed, before: '', values: new Map() };
  if (words.length <= 1) return { ...nothing, what: 'command' };
  if (words[0] === 'help') return { ...nothing, what: words.length === 2 ? 'command' : null };
  if (command === null) return nothing;
  return atCursor(command, words.slice(1, -1), typed);
}

function atCursor(command: Command, given: readonly string[], typed: string): Wanted {
  const { values, args, pending, ended } = takeApart(command, given);
  const at = { typed, before: '', values };
  if (pending !== null) return { ...at, what: pending.completes ?? null };
  const [, name, value] = /^--([\w-]+)=(.*)$/s.exec(typed) ?? [];
  const option = name === undefined || ended ? undefined : optionsOf(command)[name];
  if (option !== undefined && value !== undefined) {
    return { ...at, what: option.completes ?? null, typed: value, before: `--${name}=` };
  }
  if (typed.startsWith('-') && !ended) return { ...at, what: 'option' };
  const { completes = [] } = command;
  return { ...at, what: completes[Math.min(args, completes.length - 1)] ?? null };
}

interface Given {
  readonly values: Map<string, string>;
  /** How many arguments there are before the cursor. */
  readonly args: number;
  /** The option whose value is at the cursor. */
  readonly pending: Option | null;
  /** Whether a `--` came: what follows is never an option. */
  readonly ended: boolean;
}

function takeApart(command: Command, given: readonly string[]): Given {
  const options = optionsOf(command);
  const values = new Map<string, string>();
  let args = 0;
  for (let at = 0; at < given.length; at += 1) {
    const word = given[at] ?? '';
    if (word === '--') {
      return { values, args: args + given.length - at - 1, pending: null, ended: true };
    }
    const [, name = '', value] = /^--([\w-]+)(?:=(.*))?$/s.exec(word) ?? [];
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (option?.type === 'string' && value === undefined) {
      if (at === given.length - 1) return { values, args, pending: option, ended: false };
      at += 1;
      values.set(name, given[at] ?? '');
    } else if (value !== undefined) values.set(name, value);
    else if (option !== undefined) values.set(name, '');
    else if (!word.startsWith('-')) args += 1;
  }
  return { values, args, pending: null, ended: false };
}

export function optionsOf(command: Command): Readonly<Record<string, Option>> {
  return { ...command.options, ...COMMON_OPTIONS };
}
