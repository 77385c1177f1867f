import type { Paint } from '../terminal/paint.ts';
import { beside } from '../terminal/rows.ts';
import { wrapWords } from '../terminal/text-width.ts';
import { COMMON_OPTIONS, type Command, type Option } from './command.ts';
import { EXIT_MEANINGS } from './exit-codes.ts';
import { columnsOf, type Io } from './io.ts';

const WIDEST = 100;

/** Very long lines of prose are hard to read. */
export function helpColumns(io: Io): number {
  return Math.min(WIDEST, columnsOf(io));
}

export function generalHelp(commands: readonly Command[], paint: Paint, columns: number): string {
  const section = sections(paint, columns);
  return [
    'savepoint: undo for AI coding agents',
    '',
    'usage: savepoint COMMAND [options]',
    '',
    ...section(
      'commands',
      commands.map(({ name, summary }) => [name, summary]),
    ),
    ...section('begin here', [
      ['savepoint demo', 'see it at work on a throw-away project'],
      ['savepoint COMMAND --help', 'what a command takes, with examples'],
      ['savepoint --version', 'the version'],
    ]),
    ...section(
      'exit codes',
      EXIT_MEANINGS.map(([code, meaning]) => [String(code), meaning]),
    ),
    '',
  ]
    .join('\n')
    .replace(/\n+$/, '\n');
}

export function commandHelp(command: Command, columns: number): string {
  const section = sections((_style, text) => text, columns);
  const usage = ['usage: savepoint', command.name, command.arguments, '[options]'].filter(Boolean);
  const own = Object.entries(command.options ?? {}).map(optionRow);
  const common = Object.entries(COMMON_OPTIONS).map(optionRow);
  return [
    ...wrapWords(usage.join(' '), columns, 4),
    '',
    ...wrapWords(command.details.replaceAll('\n', ' '), columns),
    '',
    ...section('options', [...own, ...common]),
    ...section('examples', command.examples),
  ]
    .join('\n')
    .replace(/\n+$/, '\n');
}

function optionRow([name, option]: [string, Option]): readonly [string, string] {
  const { short, value, help } = option;
  const names = short === undefined ? `--${name}` : `-${short}, --${name}`;
  return [value === undefined ? names : `${names} ${value}`, help];
}

type Section = (title: string, rows: readonly (readonly [string, string])[]) => string[];

function sections(paint: Paint, columns: number): Section {
  return (title, rows) => {
    const width = Math.max(0, ...rows.map(([left]) => left.length)) + 4;
    const texts = rows.flatMap(([left, right]) =>
      beside(`  ${left}`.padEnd(width), right, columns),
    );
    return [paint('bold', `${title}:`), ...texts.map((line) => line.trimEnd()), ''];
  };
}
