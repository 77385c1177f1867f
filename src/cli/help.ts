import { COMMON_OPTIONS, type Command, type Option } from './command.ts';
import { EXIT_MEANINGS } from './exit-codes.ts';
import type { Paint } from './paint.ts';

export function generalHelp(commands: readonly Command[], paint: Paint): string {
  return [
    'savepoint: undo for AI coding agents',
    '',
    'usage: savepoint COMMAND [options]',
    '',
    ...section(
      'commands',
      commands.map(({ name, summary }) => [name, summary]),
      paint,
    ),
    ...section(
      'begin here',
      [
        ['savepoint demo', 'see it at work on a throw-away project'],
        ['savepoint COMMAND --help', 'what a command takes, with examples'],
        ['savepoint --version', 'the version'],
      ],
      paint,
    ),
    ...section(
      'exit codes',
      EXIT_MEANINGS.map(([code, meaning]) => [String(code), meaning]),
      paint,
    ),
    '',
  ]
    .join('\n')
    .replace(/\n+$/, '\n');
}

export function commandHelp(command: Command): string {
  const plain: Paint = (_style, text) => text;
  const own = Object.entries(command.options).map(optionRow);
  const common = Object.entries(COMMON_OPTIONS).map(optionRow);
  return [
    `usage: ${['savepoint', command.name, command.arguments, '[options]'].filter(Boolean).join(' ')}`,
    '',
    command.details,
    '',
    ...section('options', [...own, ...common], plain),
    ...section('examples', command.examples, plain),
  ]
    .join('\n')
    .replace(/\n+$/, '\n');
}

function optionRow([name, option]: [string, Option]): readonly [string, string] {
  return [option.value === undefined ? `--${name}` : `--${name} ${option.value}`, option.help];
}

function section(
  title: string,
  rows: readonly (readonly [string, string])[],
  paint: Paint,
): string[] {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  return [
    paint('bold', `${title}:`),
    ...rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`),
    '',
  ];
}
