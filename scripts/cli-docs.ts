import { COMMON_OPTIONS, type Command, type Option } from '../src/cli/command.ts';
import { EXIT_MEANINGS } from '../src/cli/exit-codes.ts';

export const CLI_PAGE: URL = new URL('../docs/cli.md', import.meta.url);
export const SCHEMAS: URL = new URL('../docs/json/', import.meta.url);

const INTRODUCTION = `# The command line

<!-- Made from the commands themselves by \`npm run docs\`; edits are lost. -->

    savepoint COMMAND [options]

\`savepoint COMMAND --help\` shows what is written here about a command. \`ID\` is the id of a checkpoint or
the beginning of one, as \`savepoint list\` shows them, its label, \`latest\`, or \`~N\` for the Nth before
the latest.`;

const JSON_NOTE = `With \`--json\` a command prints one JSON document on standard output and nothing else, with
\`"version": 1\`; its shape is published as JSON Schema. A failure is printed as
[error.schema.json](json/error.schema.json) says, with a code of [errors.md](errors.md).`;

/** The text of docs/cli.md. */
export function cliDocs(commands: readonly Command[]): string {
  const parts = [
    INTRODUCTION,
    commands.map(({ name, summary }) => `- [\`${name}\`](#${name}): ${summary}`).join('\n'),
    '## Exit codes',
    table(
      ['code', 'meaning'],
      EXIT_MEANINGS.map(([code, meaning]) => [String(code), meaning]),
    ),
    '`run` passes on the exit code of the program that it runs. Where that is 0 and what the program changed\n' +
      'could not be recorded, it exits 1.',
    '## Options of every command',
    optionTable(COMMON_OPTIONS),
    'They may stand before the command as well: `savepoint --json list`.',
    JSON_NOTE,
    ...commands.flatMap(commandParts),
  ];
  return `${parts.join('\n\n')}\n`;
}

function commandParts(command: Command): string[] {
  const { name, arguments: args = '', details, options = {}, examples, json = {} } = command;
  const usage = ['savepoint', name, args, '[options]'].filter((word) => word !== '').join(' ');
  const schemas = Object.keys(json).map((schema) => `${schema}.schema.json`);
  return [
    `## ${name}`,
    `    ${usage}`,
    details,
    ...(Object.keys(options).length === 0 ? [] : [optionTable(options)]),
    ...(examples.length === 0 ? [] : [exampleBlock(examples)]),
    ...(schemas.length === 0
      ? []
      : [`\`--json\`: ${schemas.map((schema) => `[${schema}](json/${schema})`).join(', ')}`]),
  ];
}

function exampleBlock(examples: Command['examples']): string {
  const width = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, meaning]) =>
    meaning === '' ? `$ ${line}` : `$ ${line.padEnd(width)}   # ${meaning}`,
  );
  return ['```sh', ...lines, '```'].join('\n');
}

function optionTable(options: Readonly<Record<string, Option>>): string {
  const rows = Object.entries(options).map(([name, { value, help }]) => [
    `\`--${name}${value === undefined ? '' : ` ${value}`}\``,
    help,
  ]);
  return table(['option', 'meaning'], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
