import { join, resolve } from 'node:path';
import { exists } from '../../fs/entries.ts';
import { entriesIn } from '../../fs/tree.ts';
import { displayText } from '../../index.ts';
import { plural, sizeText } from '../../terminal/phrases.ts';
import { table } from '../../terminal/rows.ts';
import { INSTRUCTIONS_FILE, readContextFile } from '../instructions.ts';
import { type CommandContext, oneLine, type SlashCommand, wholeText } from './command.ts';

export const contextCommands: readonly SlashCommand[] = [
  {
    name: 'init',
    description: `ask the agent to look at the project and write ${INSTRUCTIONS_FILE}`,
    async execute(_args, { agent, ui }) {
      const isThere = exists(join(agent.session.project, INSTRUCTIONS_FILE));
      const question = `${INSTRUCTIONS_FILE} is there already. Ask the agent to bring it up to date?`;
      if (isThere && !(await ui.confirm(question))) return `${INSTRUCTIONS_FILE} stays as it is.`;
      agent.submit(isThere ? `${TASK}\n${UPDATE}` : TASK);
      return null;
    },
  },
  {
    name: 'show-context',
    description: 'what the agent is told beside your prompts',
    async execute(_args, context) {
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
  },
  {
    name: 'load-context',
    usage: 'FILE',
    description: 'put the text of a file in front of your next prompt',
    complete: (args, { agent }) => fileNames(agent.session.project, args),
    async execute(args, { agent }) {
      const name = wholeText(args, 'Which file?');
      const text = readContextFile(agent.session.project, name);
      agent.addContext(`The user wants you to know this file, ${name}:\n\n${text}`);
      const size = sizeText(Buffer.byteLength(text));
      return `${displayText(name)} (${size}) goes to the agent with your next prompt.`;
    },
  },
];

async function instructionsOf({ agent }: CommandContext): Promise<string> {
  const { project } = agent.session;
  if (!exists(join(project, INSTRUCTIONS_FILE))) return 'none; /init has one written';
  try {
    const text = readContextFile(project, INSTRUCTIONS_FILE);
    const lines = text.replace(/\n$/, '').split('\n').length;
    return `${plural(lines, 'line')}, ${sizeText(Buffer.byteLength(text))}`;
  } catch (error) {
    return oneLine(error);
  }
}

/** The first line of a text that was added, and its size. */
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

const TASK = `Look at this project: its README, its manifests and build files, how it is laid out, how it is tested, and a few of its source files. Then write ${INSTRUCTIONS_FILE} at its root for coding agents that will work here.
Say only what is true of this project and of use to somebody who is about to change it: the commands to build, lint and test (also how to run a single test), the parts of the code and how they belong together, and the rules that its code follows and a newcomer would not guess. Leave out what any programmer knows, lists of every file, and anything that you did not find here. Keep it short.`;

const UPDATE = `${INSTRUCTIONS_FILE} is there already: read it first, keep what is true, correct what is not, and add what is missing.`;

const OFFERED = 100;

/** What a path that somebody began to type could become; folders end in a slash. */
export function fileNames(folder: string, begun: string): string[] {
  const [, shown = '', start = ''] = /^(.*\/)?([^/]*)$/s.exec(begun) ?? [];
  try {
    const entries = entriesIn(resolve(folder, shown));
    return entries
      .filter(({ name }) => name.startsWith(start) && (start !== '' || !name.startsWith('.')))
      .map(({ name, isDirectory }) => `${shown}${name}${isDirectory ? '/' : ''}`)
      .sort()
      .slice(0, OFFERED);
  } catch {
    // A folder that does not exist or cannot be read offers nothing.
    return [];
  }
}
