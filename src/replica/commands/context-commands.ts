import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { displayText } from '../../index.ts';
import { plural, sizeText } from '../../terminal/phrases.ts';
import { table } from '../../terminal/rows.ts';
import { INSTRUCTIONS_FILE } from '../instructions.ts';
import { noArguments, wholeText } from './arguments.ts';
import type { CommandContext, SlashCommand } from './command.ts';
import { readContextFile } from './context-file.ts';
import { fileNames } from './file-names.ts';
import { oneLine } from './one-line.ts';

export const loadContextCommand: SlashCommand = {
  name: 'load-context',
  aliases: [],
  usage: 'FILE',
  description: 'put the text of a file in front of your next prompt',
  complete: (args, { agent }) => fileNames(agent.session.project, args),
  async execute(args, { agent }) {
    const name = wholeText(args, 'Which file?');
    const text = await readContextFile(agent.session.project, name);
    agent.addContext(`The user wants you to know this file, ${name}:\n\n${text}`);
    const size = sizeText(Buffer.byteLength(text));
    return `${displayText(name)} (${size}) goes to the agent with your next prompt.`;
  },
};

export const showContextCommand: SlashCommand = {
  name: 'show-context',
  aliases: [],
  usage: '',
  description: 'what the agent is told beside your prompts',
  async execute(args, context) {
    noArguments(args);
    const { ui, agent, files } = context;
    const rows = [
      ['Project', displayText(agent.session.project)],
      [INSTRUCTIONS_FILE, await instructionsOf(context)],
      ...listing('Next prompt', agent.context().map(summaryOf), 'nothing was added to it'),
      ...listing(
        'Rewound',
        (files?.rewound() ?? []).map(displayText),
        'no file since its last turn',
      ),
    ];
    ui.displayBlock(table(rows));
    return null;
  },
};

async function instructionsOf({ agent }: CommandContext): Promise<string> {
  const { project } = agent.session;
  if (!existsSync(join(project, INSTRUCTIONS_FILE))) return 'none; /init has one written';
  try {
    const text = await readContextFile(project, INSTRUCTIONS_FILE);
    const lines = text.replace(/\n$/, '').split('\n').length;
    return `${plural(lines, 'line')}, ${sizeText(Buffer.byteLength(text))}`;
  } catch (error) {
    return oneLine(error);
  }
}

/** The first line says what it is; the rest is as large as it says. */
function summaryOf(text: string): string {
  const [first = ''] = text.split('\n');
  return `${displayText(first.replace(/:$/, ''))} (${sizeText(Buffer.byteLength(text))})`;
}

const SHOWN = 20;

function listing(title: string, entries: readonly string[], none: string): string[][] {
  if (entries.length === 0) return [[title, none]];
  const rows = entries.slice(0, SHOWN).map((entry, at) => [at === 0 ? title : '', entry]);
  const more = entries.length - SHOWN;
  return more > 0 ? [...rows, ['', `and ${more} more`]] : rows;
}
