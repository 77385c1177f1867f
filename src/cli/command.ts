import { parseArgs } from 'node:util';
import type { Kind } from '../model/check.ts';
import { type Paint, paintFor } from '../terminal/paint.ts';
import { wrapWords } from '../terminal/text-width.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { columnsOf, type Io } from './io.ts';
import { joinValues } from './option-values.ts';

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
}

/** One verb of the command line. The help is made from this, so it cannot say anything else. */
export interface Command {
  readonly name: string;
  /** The arguments, as the usage line shows them. */
  readonly arguments: string;
  readonly summary: string;
  readonly details: string;
  readonly options: Readonly<Record<string, Option>>;
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
  /** Arguments before a `--`, and after it. */
  readonly args: readonly string[];
  readonly rest: readonly string[];
  /** A line that was asked for, such as a row of a list; nothing with `--json`. */
  say(text?: string): void;
  /** A line about what is being done; nothing with `--quiet` either. */
  remark(text?: string): void;
  /** What to do next, beside the output proper so that pipes stay clean; nothing with `--quiet`. */
  hint(text: string): void;
}

/** Options that every command has. */
export const COMMON_OPTIONS: Readonly<Record<string, Option>> = {
  project: {
    type: 'string',
    value: 'DIR',
    help: 'the project; by default the one around the current folder',
    completes: 'folder',
  },
  json: { type: 'boolean', help: 'print JSON for programs, and nothing else, on standard output' },
  quiet: { type: 'boolean', help: 'print results and problems, no remarks and no hints' },
  'no-color': {
    type: 'boolean',
    help: 'no colours (also NO_COLOR=1; FORCE_COLOR=1 for the opposite)',
  },
  help: { type: 'boolean', help: 'show this help' },
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
  return {
    io,
    paint,
    json,
    columns,
    flags: new Set(given.flatMap(([name, value]) => (value === true ? [name] : []))),
    values: new Map(given.flatMap(([name, v]) => (typeof v === 'string' ? [[name, v]] : []))),
    args: positionals.filter(({ index }) => index < end).map(({ value }) => value),
    rest: positionals.filter(({ index }) => index > end).map(({ value }) => value),
    say: (text = '') => {
      if (!json) io.out(`${text}\n`);
    },
    remark: (text = '') => {
      if (!quiet) io.out(`${text}\n`);
    },
    hint: (text) => {
      const lines = wrapWords(`hint: ${text}`, columns, 2).map((line) => paint('dim', line));
      if (!quiet) io.err(`${lines.join('\n')}\n`);
    },
  };
}

function parse(command: Command, argv: readonly string[]) {
  const options = Object.entries({ ...COMMON_OPTIONS, ...command.options });
  const args = joinValues(argv, valuedOptions(options));
  try {
    return parseArgs({
      args,
      options: Object.fromEntries(
        options.map(([name, { type, short }]) => [name, short ? { type, short } : { type }]),
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

/** Node explains at length; the first sentence says it. */
function firstSentence(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const [sentence = message] = message.split(/\. |\n/, 1);
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

/** The arguments of a command that takes a fixed number of them. */
export function expectArgs(call: Call, command: string, least: number, most: number): void {
  const given = [...call.args, ...call.rest];
  const hint = `see: savepoint ${command} --help`;
  if (given.length > most) throw new UsageError(`unexpected argument "${given[most]}"`, hint);
  if (given.length < least) throw new UsageError('an argument is missing', hint);
}

/** The program to run, with its arguments. */
export function expectCommand(call: Call, command: string): readonly string[] {
  const words = [...call.args, ...call.rest];
  if (words.length > 0) return words;
  throw new UsageError('a program is missing', `see: savepoint ${command} --help`);
}

/** An option that takes one of a few words. */
export function oneOf<Word extends string>(
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
