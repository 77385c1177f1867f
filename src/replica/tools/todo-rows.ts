import type { Paint } from '../../terminal/paint.ts';
import { wrapRows } from '../../terminal/rows.ts';
import type { Todo } from '../commands/command.ts';

const MARKS: Readonly<Record<Todo['state'], string>> = {
  pending: '[ ]',
  'in-progress': '[~]',
  done: '[x]',
};
const MARGIN = 6;

/** The agent's list of things to do, as a checklist. */
export function todoRows(todos: readonly Todo[], columns: number, paint: Paint): string[] {
  return todos.flatMap(({ text, state }) =>
    wrapRows(text.trim(), columns - MARGIN).map((row, i) => {
      const line = `  ${i === 0 ? MARKS[state] : '   '} ${row}`;
      if (state === 'done') return paint('dim', line);
      return state === 'in-progress' ? paint('bold', line) : line;
    }),
  );
}

export function isAllDone(todos: readonly Todo[]): boolean {
  return todos.every(({ state }) => state === 'done');
}
