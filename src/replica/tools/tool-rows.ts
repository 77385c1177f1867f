import type { Paint, Style } from '../../terminal/paint.ts';
import { lastRows, wrapRows } from '../../terminal/rows.ts';
import { clipWidth, textWidth } from '../../terminal/text-width.ts';
import type { Todo } from '../commands/command.ts';
import type { ToolResultShown, ToolUseShown } from '../ui/interactive-ui.ts';
import { SHELLS } from './known-tools.ts';
import { elapsedText, toolLine } from './tool-line.ts';
import { outcomeOf, type ToolOutcome } from './tool-outcome.ts';
import { shownOf } from './tool-results.ts';

export interface ToolRoom {
  readonly columns: number;
  /** Whether results are shown whole. */
  readonly verbose: boolean;
  readonly paint: Paint;
  /** Where paths are shown from; null shows them whole. */
  readonly cwd: string | null;
}

export interface RunningCall {
  readonly call: ToolUseShown;
  readonly startedAt: number;
  /** The end of what a command has printed so far. */
  readonly output: string;
}

export interface EndedCall {
  readonly call: ToolUseShown;
  /** Null where no result came, such as when the agent's process has ended. */
  readonly result: ToolResultShown | null;
  readonly elapsedMs: number;
  /** The end of what a command had printed: all that is known of one that was interrupted. */
  readonly printed?: string;
}

/** Rows of output below a command that runs. */
const LIVE_ROWS = 5;
/** Below this, a call takes no time worth saying. */
const LEAST_ELAPSED_MS = 100;

/** A call that runs, with its time, and the end of its output. */
export function runningRows(
  { call, startedAt, output }: RunningCall,
  now: number,
  room: ToolRoom,
): string[] {
  const elapsed = elapsedText(Math.max(0, now - startedAt));
  const rows = lastRows(output.trimEnd(), room.columns - 4, output === '' ? 0 : LIVE_ROWS);
  return [
    ...headingRows(call, { note: room.paint('dim', `(${elapsed})`), style: 'cyan' }, room),
    ...below(
      rows.map((row) => room.paint('dim', row)),
      room,
    ),
  ];
}

/** A call that has ended, and what came of it: by kind of tool, from what the tool tells programs. */
export function endedRows(ended: EndedCall, room: ToolRoom): string[] {
  const { call, result, elapsedMs, printed = '' } = ended;
  if (result === null) return headingRows(call, { note: '', style: 'dim' }, room);
  const outcome = outcomeOf(result);
  const { notes, rows } = shownOf({ call, result, outcome, printed }, room);
  const time =
    SHELLS.has(call.name) && elapsedMs >= LEAST_ELAPSED_MS ? [elapsedText(elapsedMs)] : [];
  const note = noteOf([...time, ...notes], room);
  return [...headingRows(call, { note, style: STYLES[outcome.kind] }, room), ...below(rows, room)];
}

const STYLES: Readonly<Record<ToolOutcome['kind'], Style>> = {
  done: 'cyan',
  refused: 'yellow',
  interrupted: 'yellow',
  failed: 'red',
};

function noteOf(notes: readonly string[], { paint }: ToolRoom): string {
  if (notes.length === 0) return '';
  return paint('dim', '(') + notes.join(paint('dim', ', ')) + paint('dim', ')');
}

interface Heading {
  /** Stands behind the call and is never cut off. */
  readonly note: string;
  readonly style: Style;
}

function headingRows(call: ToolUseShown, { note, style }: Heading, room: ToolRoom): string[] {
  const { columns, verbose, paint, cwd } = room;
  const end = note === '' ? '' : ` ${note}`;
  const line = toolLine(call, cwd);
  const rows = verbose
    ? wrapRows(line, columns - 2)
    : [clipWidth(line, Math.max(1, columns - 2 - textWidth(end)))];
  const [first = '', ...more] = rows;
  const [name = ''] = /^(?:Sub-agent: )?\S*/.exec(first) ?? [];
  const whole = [paint('bold', name) + first.slice(name.length), ...more];
  return whole.map((row, i) => {
    const isLast = i === whole.length - 1;
    return `${i === 0 ? paint(style, '●') : ' '} ${row}${isLast ? end : ''}`;
  });
}

function below(rows: readonly string[], { paint }: ToolRoom): string[] {
  return rows.map((row, i) => `  ${i === 0 ? paint('dim', '⎿') : ' '} ${row}`);
}

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
