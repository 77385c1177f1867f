import { displayText } from '../../index.ts';
import type { Paint, Style } from '../../terminal/paint.ts';
import { plural } from '../../terminal/phrases.ts';
import { lastRows, wrapRows } from '../../terminal/rows.ts';
import { clipWidth, textWidth } from '../../terminal/text-width.ts';
import { SHELLS } from '../permissions/always.ts';
import { fieldsOf } from '../sdk/message-router.ts';
import type { ToolResultShown, ToolUseShown } from '../ui/interactive-ui.ts';
import { editCounts, editRows } from './edit-rows.ts';
import { madeEdit } from './file-edit.ts';
import { elapsedText, toolLine } from './tool-line.ts';
import { outcomeOf, reasonInWords, type ToolOutcome, withoutModelText } from './tool-outcome.ts';

export interface ToolRoom {
  readonly columns: number;
  /** Whether results are shown whole. */
  readonly verbose: boolean;
  readonly paint: Paint;
  /** Where paths are shown from; null shows them whole. */
  readonly cwd: string | null;
}

/** A call that runs. */
export interface RunningCall {
  readonly call: ToolUseShown;
  readonly startedAt: number;
  /** The end of what a command has printed so far. */
  readonly output: string;
}

/** A call that has ended. */
export interface EndedCall {
  readonly call: ToolUseShown;
  /** Null where no result came, such as when the agent's process has ended. */
  readonly result: ToolResultShown | null;
  readonly elapsedMs: number;
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
export function endedRows({ call, result, elapsedMs }: EndedCall, room: ToolRoom): string[] {
  if (result === null) return headingRows(call, { note: '', style: 'dim' }, room);
  const outcome = outcomeOf(result);
  const { notes, rows } = shownOf({ call, result, outcome }, room);
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
  const [name = ''] = /^\S*/.exec(first) ?? [];
  const whole = [paint('bold', name) + first.slice(name.length), ...more];
  return whole.map((row, i) => {
    const isLast = i === whole.length - 1;
    return `${i === 0 ? paint(style, '●') : ' '} ${row}${isLast ? end : ''}`;
  });
}

function below(rows: readonly string[], { paint }: ToolRoom): string[] {
  return rows.map((row, i) => `  ${i === 0 ? paint('dim', '⎿') : ' '} ${row}`);
}

/** What is said behind the call, and the rows below it. */
interface Shown {
  readonly notes: readonly string[];
  readonly rows: readonly string[];
}

interface Result {
  readonly call: ToolUseShown;
  readonly result: ToolResultShown;
  readonly outcome: ToolOutcome;
}

function shownOf({ call, result, outcome }: Result, room: ToolRoom): Shown {
  const said = (style: Style, text: string): Shown => ({
    notes: [],
    rows: wrapRows(text, room.columns - 4).map((row) => room.paint(style, row)),
  });
  if (outcome.kind === 'refused') return said('yellow', refusalText(outcome.said));
  if (outcome.kind === 'interrupted') {
    return said('yellow', outcome.hasBegun ? 'Interrupted' : 'Not done: interrupted');
  }
  if (SHELLS.has(call.name)) return shellShown(result, outcome, room);
  if (outcome.kind === 'done') return doneShown(call, result, room);
  const isKnown = KNOWN.has(call.name) || outcome.reason.startsWith('Error: No such tool');
  if (isKnown) return said('red', `Not done: ${reasonInWords(outcome.reason)}`);
  return { notes: [], rows: folded(outcome.reason, HEAD, room, 'red') };
}

function refusalText(said: string | null): string {
  return said === null ? 'Not done: you said no' : `Not done: you said no, ${said}`;
}

/** Tools whose results are drawn from what they tell programs; the text for the model is not shown. */
const KNOWN: ReadonlySet<string> = new Set([
  'Write',
  'Edit',
  'MultiEdit',
  'NotebookEdit',
  'Read',
  'TodoWrite',
  'TaskCreate',
  'TaskUpdate',
  'TaskList',
  'TaskGet',
  'ExitPlanMode',
  'EnterPlanMode',
]);
/** How many rows of something folded are left, at its beginning and at its end. */
interface Fold {
  readonly head: number;
  readonly tail: number;
}
const HEAD: Fold = { head: 4, tail: 0 };
/** What a command prints last tells how it went. */
const SHELL: Fold = { head: 2, tail: 4 };
const DIFF: Fold = { head: 16, tail: 0 };
const NEW_FILE: Fold = { head: 8, tail: 0 };

function doneShown(call: ToolUseShown, result: ToolResultShown, room: ToolRoom): Shown {
  const edit = madeEdit(call.name, call.input, result.output);
  if (edit !== null) {
    const rows = editRows(edit, room.columns - 4, room.paint);
    const notes = [editCounts(edit, room.paint)];
    return { notes, rows: foldedRows(rows, edit.isNew ? NEW_FILE : DIFF, room) };
  }
  if (call.name === 'Read') return readShown(result, room);
  if (KNOWN.has(call.name)) return { notes: [], rows: [] };
  return { notes: [], rows: folded(withoutModelText(agentText(result)), HEAD, room, 'dim') };
}

/** How much was read; the text itself only where everything is shown whole. */
function readShown({ output }: ToolResultShown, room: ToolRoom): Shown {
  const { content, numLines } = fieldsOf(fieldsOf(output).file);
  if (typeof content !== 'string' || typeof numLines !== 'number') return { notes: [], rows: [] };
  // The SDK counts an empty line behind the last newline.
  const lines = content.endsWith('\n') ? Math.max(0, numLines - 1) : numLines;
  const rows = room.verbose ? folded(content.trimEnd(), HEAD, room, 'dim') : [];
  return { notes: [room.paint('dim', plural(lines, 'line'))], rows };
}

/** What a sub-agent reports, without the lines for the model behind it; of other tools the text. */
function agentText({ text, output }: ToolResultShown): string {
  const { content, agentId } = fieldsOf(output);
  if (agentId === undefined || !Array.isArray(content)) return text;
  return content.map((block) => String(fieldsOf(block).text ?? '')).join('\n');
}

/** What a command printed, and how it ended. */
function shellShown(
  { text, output }: ToolResultShown,
  outcome: ToolOutcome,
  room: ToolRoom,
): Shown {
  const { paint } = room;
  if (outcome.kind === 'failed') {
    const [, code, printed = ''] = /^Exit code (\d+)\n?([\s\S]*)$/.exec(text) ?? [];
    if (code === undefined) {
      const reason = wrapRows(`Not done: ${reasonInWords(outcome.reason)}`, room.columns - 4);
      return { notes: [], rows: reason.map((row) => paint('red', row)) };
    }
    const rows = folded(withoutModelText(printed), SHELL, room, 'dim');
    return { notes: [paint('red', `exit ${code}`)], rows };
  }
  const { stdout, stderr, backgroundTaskId, returnCodeInterpretation } = fieldsOf(output);
  const printed = [stdout, stderr]
    .filter((one) => typeof one === 'string' && one !== '')
    .join('\n');
  const rows = folded(output === undefined ? withoutModelText(text) : printed, SHELL, room, 'dim');
  const isBehind = backgroundTaskId !== undefined;
  const end = isBehind ? 'goes on in the background' : (returnCodeInterpretation ?? 'exit 0');
  return { notes: [paint('dim', displayText(String(end)))], rows };
}

/** More than the rows that a fold leaves can hold. */
const LONGEST_FOLDED = 20_000;

function folded(text: string, fold: Fold, room: ToolRoom, style: Style): string[] {
  if (text.trim() === '') return [];
  const columns = room.columns - 4;
  const painted = (rows: readonly string[]): string[] => rows.map((row) => room.paint(style, row));
  if (room.verbose || text.length <= LONGEST_FOLDED) {
    return foldedRows(painted(wrapRows(text.trimEnd(), columns)), fold, room);
  }
  // Only its beginning and its end are looked at, however long it is.
  const head = wrapRows(text.slice(0, LONGEST_FOLDED / 2).toWellFormed(), columns);
  const tail = lastRows(text.trimEnd(), columns, fold.tail);
  const left = text.split('\n').length - fold.head - fold.tail;
  return [...painted(head.slice(0, fold.head)), moreRow(Math.max(1, left), room), ...painted(tail)];
}

function foldedRows(rows: readonly string[], { head, tail }: Fold, room: ToolRoom): string[] {
  // Folding a single row would not save any room.
  if (room.verbose || rows.length <= head + tail + 1) return [...rows];
  return [
    ...rows.slice(0, head),
    moreRow(rows.length - head - tail, room),
    ...(tail === 0 ? [] : rows.slice(-tail)),
  ];
}

function moreRow(count: number, { columns, paint }: ToolRoom): string {
  const text = `… ${plural(count, 'more line')} (Ctrl-O shows them)`;
  return paint('dim', clipWidth(text, columns - 4));
}
