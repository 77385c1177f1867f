import { parseArgs } from 'node:util';
import type { Kind } from '../model/check.ts';
import { type Paint, paintFor } from '../terminal/paint.ts';
import { messageOf, nearestWord } from '../terminal/phrases.ts';
import { wrapWords } from '../terminal/text-width.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { columnsOf, type Io } from './io.ts';

/** What a shell can offer for an argument or a value: things of the timeline, files, or fixed words. */
export type Completes =
  | 'checkpoint'
  | 'session'
  | 'operation'
  | 'execution'
  | 'path'
  | 'folder'
  | 'agent'
  | readonly string[];

export interface Option {
  readonly type: 'boolean' | 'string';
  /** One letter that stands for it. */
  readonly short?: string;
  /** What the help calls the value. */
  readonly value?: string;
  readonly help: string;
  readonly completes?: Completes;
  /** It may be given several times; its values are in `Call.lists`. */
  readonly repeats?: true;
}

/** An option without a value. */
export function flag(help: string): Option {
  return { type: 'boolean', help };
}

/** An option with a value, which the help calls `value`. */
export function option(value: string, help: string, completes?: Completes): Option {
  const plain = { type: 'string', value, help } as const;
  return completes === undefined ? plain : { ...plain, completes };
}

/** As `option`, for one that may be given several times. */
export function repeated(value: string, help: string, completes?: Completes): Option {
  return { ...option(value, help, completes), repeats: true };
}

/** One verb of the command line. The help and docs/cli.md are made from this. */
export interface Command {
  readonly name: string;
  /** The arguments, as the usage line shows them; left out, it takes none. */
  readonly arguments?: string;
  readonly summary: string;
  readonly details: string;
  readonly options?: Readonly<Record<string, Option>>;
  readonly examples: readonly (readonly [command: string, meaning: string])[];
  /** What each argument is, in order; the last one stands for all that follow. */
  readonly completes?: readonly Completes[];
  /** What it prints with `--json`, by the name of the published schema; loaded where that is long. */
  readonly json?: Readonly<Record<string, Kind<unknown> | (() => Promise<Kind<unknown>>)>>;
  /** Resolves to the exit code: one of the table, or that of a program which was run. */
  run(call: Call): Promise<number>;
}

/** A command line, taken apart. */
export interface Call {
  readonly io: Io;
  readonly paint: Paint;
  readonly json: boolean;
  /** How wide a line of prose may be. */
  readonly columns: number;
  /** Options without a value that were given. */
  readonly flags: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, string>;
  /** All values of the options that may be given several times. */
  readonly lists: ReadonlyMap<string, readonly string[]>;
  /** Arguments before a `--`, and after it. */
  readonly args: readonly string[];
  readonly rest: readonly string[];
  /** A line that was asked for, such as a row of a list; nothing with `--json`. */
  say(text?: string): void;
  /** The same for a sentence, in lines that fit; those after the first are indented. */
  tell(text: string, indent?: number): void;
  /** A sentence about what is being done; nothing with `--quiet` either. */
  remark(text: string): void;
  /** What to do next, on standard error and only where that is a terminal; nothing with `--quiet`. */
  hint(text: string): void;
}

/** Options that every command has. */
export const COMMON_OPTIONS: Readonly<Record<string, Option>> = {
  project: option('DIR', 'the project; by default the one around the current folder', 'folder'),
  json: flag('print JSON for programs, and nothing else, on standard output'),
  quiet: flag('print results and problems, no remarks and no hints'),
  'no-color': flag('no colours (also NO_COLOR=1; FORCE_COLOR=1 for the opposite)'),
  help: flag('show this help'),
};

export function parseCall(command: Command, argv: readonly string[], io: Io): Call {
  const { values, tokens } = parse(command, argv);
  const columns = columnsOf(io);
  const end = tokens.find((token) => token.kind === 'option-terminator')?.index ?? argv.length;
  const positionals = tokens.filter((token) => token.kind === 'positional');
  const given = Object.entries(values);
  const json = values.json === true;
  const quiet = json || values.quiet === true;
  const paint = paintFor(io, values['no-color'] === true);
  io.progress.enabled = !quiet;
  const prose = (text: string, indent = 0): string => wrapWords(text, columns, indent).join('\n');
  const say = (text = ''): void => {
    if (!json) io.out(`${text}\n`);
  };
  const call: Call = {
    io,
    paint,
    json,
    columns,
    flags: new Set(given.flatMap(([name, value]) => (value === true ? [name] : []))),
    values: new Map(given.flatMap(([name, v]) => (typeof v === 'string' ? [[name, v]] : []))),
    lists: new Map(given.flatMap(([name, v]) => (Array.isArray(v) ? [[name, v.map(String)]] : []))),
    args: positionals.filter(({ index }) => index < end).map(({ value }) => value),
    rest: positionals.filter(({ index }) => index > end).map(({ value }) => value),
    say,
    tell: (text, indent) => say(prose(text, indent)),
    remark: (text) => {
      if (!quiet) io.out(`${prose(text)}\n`);
    },
    hint: (text) => {
      const lines = wrapWords(`hint: ${text}`, columns, 2).map((line) => paint('dim', line));
      if (!quiet && io.errorTerminal) io.err(`${lines.join('\n')}\n`);
    },
  };
  if (command.arguments === undefined) expectArgs(call, command.name, 0, 0);
  return call;
}

function parse(command: Command, argv: readonly string[]) {
  const options = Object.entries({ ...COMMON_OPTIONS, ...command.options });
  const args = joinValues(argv, valuedOptions(options));
  try {
    return parseArgs({
      args,
      options: Object.fromEntries(
        options.map(([name, { type, short, repeats: multiple = false }]) => [
          name,
          short ? { type, short, multiple } : { type, multiple },
        ]),
      ),
      allowPositionals: true,
      strict: true,
      tokens: true,
    });
  } catch (error) {
    throw new UsageError(firstSentence(error), `see: savepoint ${command.name} --help`);
  }
}

/** The words that want a value after them, with the option that each stands for. */
function valuedOptions(options: readonly (readonly [string, Option])[]): Map<string, string> {
  const words = options.flatMap(([name, { type, short }]): [string, string][] => {
    if (type !== 'string') return [];
    const long: [string, string] = [`--${name}`, `--${name}`];
    return short === undefined ? [long] : [long, [`-${short}`, `--${name}`]];
  });
  return new Map(words);
}

/** The first sentence of Node's message; the rest is advice for programmers. */
function firstSentence(error: unknown): string {
  const message = messageOf(error);
  const [sentence = message] = message.split(/\. |\n/, 1);
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

/** The arguments of a command that takes a fixed number of them. */
export function expectArgs(
  call: Call,
  command: string,
  least: number,
  most: number,
): readonly string[] {
  const given = [...call.args, ...call.rest];
  const hint = `see: savepoint ${command} --help`;
  if (given.length > most) throw new UsageError(`unexpected argument "${given[most]}"`, hint);
  if (given.length < least) throw new UsageError('an argument is missing', hint);
  return given;
}

/** What to say to somebody who typed a word that is none of these. */
export function meantHint(
  word: string,
  words: readonly string[],
  otherwise: string,
  before = '',
): string {
  const near = nearestWord(word, words);
  return near === null ? otherwise : `did you mean: ${before}${near}`;
}

export function unknownSubcommand(
  command: string,
  word: string,
  verbs: readonly string[],
  known: string,
): UsageError {
  const see = `see: savepoint ${command} --help`;
  const hint = meantHint(word, verbs, see, `savepoint ${command} `);
  return new UsageError(`unknown subcommand "${word}"; try ${known}`, hint);
}

/** An option that takes one of a few words. */
export function wordOption<Word extends string>(
  call: Call,
  option: string,
  words: readonly Word[],
): Word | undefined {
  const given = call.values.get(option);
  const known = words.find((word) => word === given);
  if (given !== undefined && known === undefined) {
    throw new UsageError(`--${option} must be one of ${words.join(', ')}, not "${given}"`);
  }
  return known;
}

/**
 * Options with their values, in one word each; `valued` says which option a word stands for. Node's parser
 * takes the -1 of `--limit -1` for an option and speaks of ambiguity; a number is a value, and anything else
 * means that the value was forgotten.
 */
function joinValues(argv: readonly string[], valued: ReadonlyMap<string, string>): string[] {
  const words: string[] = [];
  for (let i = 0; i < argv.length; i += 1) {
    const word = argv[i] ?? '';
    if (word === '--') return [...words, ...argv.slice(i)];
    const next = argv[i + 1];
    const option = valued.get(word);
    if (option === undefined) words.push(word);
    else if (next === undefined || looksLikeOption(next)) throw missingValue(word, next);
    else {
      words.push(`${option}=${next}`);
      i += 1;
    }
  }
  return words;
}

function looksLikeOption(word: string): boolean {
  return word.startsWith('-') && word !== '-' && !/^-\d/.test(word);
}

function missingValue(option: string, next: string | undefined): UsageError {
  const hint =
    next === undefined || next === '--' ? undefined : `if ${next} is it: ${option}=${next}`;
  return new UsageError(`${option} needs a value`, hint);
}

/** The command line with its verb first: options of every command may stand before it. */
export function verbFirst(argv: readonly string[]): readonly string[] {
  const { options, rest } = leadingOptions(argv);
  if (options.length === 0) return argv;
  const [verb, ...others] = rest;
  const joined = joinValues(options, VALUED);
  if (verb === undefined) throw new UsageError('a command is missing', 'see: savepoint --help');
  return [verb, ...joined, ...others];
}

interface LeadingOptions {
  /** With their values. */
  readonly options: readonly string[];
  readonly rest: readonly string[];
}

export function leadingOptions(argv: readonly string[]): LeadingOptions {
  let end = 0;
  while (end < argv.length) {
    const [, name = '', value] = /^--([\w-]+)(=.*)?$/s.exec(argv[end] ?? '') ?? [];
    // `--help` before a verb asks for the general help.
    if (name === 'help' || !Object.hasOwn(COMMON_OPTIONS, name)) break;
    end += VALUED.has(`--${name}`) && value === undefined ? 2 : 1;
  }
  return { options: argv.slice(0, end), rest: argv.slice(end) };
}

const VALUED: ReadonlyMap<string, string> = valuedOptions(Object.entries(COMMON_OPTIONS));
