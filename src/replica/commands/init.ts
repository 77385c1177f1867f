import { join } from 'node:path';
import { exists } from '../../fs/entries.ts';
import { INSTRUCTIONS_FILE } from '../instructions.ts';
import { noArguments } from './arguments.ts';
import type { SlashCommand } from './command.ts';

const TASK = `Look at this project: its README, its manifests and build files, how it is laid out, how it is tested, and a few of its source files. Then write ${INSTRUCTIONS_FILE} at its root for coding agents that will work here.
Say only what is true of this project and of use to somebody who is about to change it: the commands to build, lint and test (also how to run a single test), the parts of the code and how they belong together, and the rules that its code follows and a newcomer would not guess. Leave out what any programmer knows, lists of every file, and anything that you did not find here. Keep it short.`;

const UPDATE = `${INSTRUCTIONS_FILE} is there already: read it first, keep what is true, correct what is not, and add what is missing.`;

export const initCommand: SlashCommand = {
  name: 'init',
  aliases: [],
  usage: '',
  description: `ask the agent to look at the project and write ${INSTRUCTIONS_FILE}`,
  async execute(args, { agent, ui }) {
    noArguments(args);
    const isThere = exists(join(agent.session.project, INSTRUCTIONS_FILE));
    const question = `${INSTRUCTIONS_FILE} is there already. Ask the agent to bring it up to date?`;
    if (isThere && !(await ui.confirm(question))) return `${INSTRUCTIONS_FILE} stays as it is.`;
    agent.submit(isThere ? `${TASK}\n${UPDATE}` : TASK);
    return null;
  },
};
