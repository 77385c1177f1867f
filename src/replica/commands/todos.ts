import { displayText } from '../../index.ts';
import { noArguments } from './arguments.ts';
import type { SlashCommand, Todo } from './command.ts';

const MARKS: Readonly<Record<Todo['state'], string>> = {
  pending: '[ ]',
  'in-progress': '[~]',
  done: '[x]',
};

export const todosCommand: SlashCommand = {
  name: 'todos',
  aliases: [],
  usage: '',
  description: 'what the agent has put on its list of things to do',
  async execute(args, { agent, ui, paint }) {
    noArguments(args);
    const todos = agent.todos();
    if (todos.length === 0) return 'The agent has no list of things to do.';
    ui.displayBlock(
      todos.map(({ text, state }) => {
        const line = `  ${MARKS[state]} ${displayText(text)}`;
        if (state === 'done') return paint('dim', line);
        return state === 'in-progress' ? paint('bold', line) : line;
      }),
    );
    return null;
  },
};
