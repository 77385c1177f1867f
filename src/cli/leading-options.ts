import { UsageError } from '../terminal/usage-error.ts';
import { COMMON_OPTIONS } from './command.ts';
import { joinValues } from './option-values.ts';

/** The command line with its verb first: options of every command may stand before it. */
export function verbFirst(argv: readonly string[]): readonly string[] {
  const { options, rest } = leadingOptions(argv);
  if (options.length === 0) return argv;
  const [verb, ...others] = rest;
  const joined = joinValues(options, VALUED);
  if (verb === undefined) throw new UsageError('a command is missing', 'see: savepoint --help');
  return [verb, ...joined, ...others];
}

export interface LeadingOptions {
  /** With their values. */
  readonly options: readonly string[];
  readonly rest: readonly string[];
}

export function leadingOptions(argv: readonly string[]): LeadingOptions {
  let end = 0;
  while (end < argv.length) {
    const [, name = '', value] = /^--([\w-]+)(=.*)?$/s.exec(argv[end] ?? '') ?? [];
    // The help of everything is asked for by the same word as that of one command.
    if (name === 'help' || !Object.hasOwn(COMMON_OPTIONS, name)) break;
    end += VALUED.has(`--${name}`) && value === undefined ? 2 : 1;
  }
  return { options: argv.slice(0, end), rest: argv.slice(end) };
}

const VALUED: ReadonlyMap<string, string> = new Map(
  Object.entries(COMMON_OPTIONS).flatMap(([name, { type }]): [string, string][] =>
    type === 'string' ? [[`--${name}`, `--${name}`]] : [],
  ),
);
