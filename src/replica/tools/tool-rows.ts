import { displayText } from '../../index.ts';
import type { Paint, Style } from '../../terminal/paint.ts';
import { plural, sizeText } from '../../terminal/phrases.ts';
import { lastRows, wrapRows } from '../../terminal/rows.ts';
import { clipWidth, textWidth } from '../../terminal/text-width.ts';
import type { Todo } from '../commands/command.ts';
import { fieldsOf } from '../sdk/message-router.ts';
import type { ToolResultShown, ToolUseShown } from '../ui/interactive-ui.ts';
import { editCounts, editRows, madeEdit } from './file-edit.ts';
import { EDITORS, PLAN_TOOL, SHELLS, TODO_TOOLS } from './known-tools.ts';
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

/** What is said behind the call, and the rows below it. */
interface Shown {
  readonly notes: readonly string[];
  readonly rows: readonly string[];
}

interface Result {
  readonly call: ToolUseShown;
  readonly result: ToolResultShown;
  readonly outcome: ToolOutcome;
  readonly printed: string;
}

function shownOf({ call, result, outcome, printed }: Result, room: ToolRoom): Shown {
  if (outcome.kind === 'refused') {
    return notDone(
      outcome.said === null ? 'you said no' : `you said no, ${outcome.said}`,
      'yellow',
      room,
    );
  }
  if (outcome.kind === 'interrupted') {
    if (!outcome.hasBegun) return notDone('interrupted', 'yellow', room);
    const rows = folded(printed, SHELL, room, 'dim');
    return { notes: [room.paint('yellow', 'interrupted')], rows };
  }
  if (SHELLS.has(call.name)) return shellShown(result, outcome, room);
  if (outcome.kind === 'done') return doneShown(call, result, room);
  const isKnown = KNOWN.has(call.name) || outcome.reason.startsWith('Error: No such tool');
  if (isKnown) return notDone(reasonInWords(outcome.reason), 'red', room);
  return { notes: [], rows: folded(outcome.reason, HEAD, room, 'red') };
}

function notDone(why: string, style: Style, { columns, paint }: ToolRoom): Shown {
  return {
    notes: [],
    rows: wrapRows(`Not done: ${why}`, columns - 4).map((row) => paint(style, row)),
  };
}

/** Tools whose results are drawn from what they tell programs; the text for the model is not shown. */
const KNOWN: ReadonlySet<string> = new Set([
  ...EDITORS,
  ...TODO_TOOLS,
  'Read',
  PLAN_TOOL,
  'EnterPlanMode',
]);
type Output = Readonly<Record<string, unknown>>;

const BY_TOOL: Readonly<Record<string, (output: Output, room: ToolRoom) => Shown>> = {
  Read: readShown,
  // The tool has two names.
  Task: agentShown,
  Agent: agentShown,
  AskUserQuestion: answersShown,
  WebFetch: pageShown,
};
const BEHIND = 'goes on in the background';

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
  const shown = Object.hasOwn(BY_TOOL, call.name) ? BY_TOOL[call.name] : undefined;
  if (shown !== undefined) return shown(fieldsOf(result.output), room);
  if (KNOWN.has(call.name)) return { notes: [], rows: [] };
  return { notes: [], rows: folded(withoutModelText(result.text), HEAD, room, 'dim') };
}

/** How much was read; the text itself only where everything is shown whole. */
function readShown({ file }: Output, room: ToolRoom): Shown {
  const { content, numLines } = fieldsOf(file);
  if (typeof content !== 'string' || typeof numLines !== 'number') return { notes: [], rows: [] };
  // The SDK counts an empty line behind the last newline.
  const lines = content.endsWith('\n') ? Math.max(0, numLines - 1) : numLines;
  const rows = room.verbose ? folded(content.trimEnd(), HEAD, room, 'dim') : [];
  return { notes: [room.paint('dim', plural(lines, 'line'))], rows };
}

/** What a sub-agent reports. */
function agentShown({ status, content, totalToolUseCount }: Output, room: ToolRoom): Shown {
  if (status !== 'completed') return { notes: [room.paint('dim', BEHIND)], rows: [] };
  const blocks = Array.isArray(content) ? content : [];
  const report = blocks.map((block) => String(fieldsOf(block).text ?? '')).join('\n');
  const calls = plural(Number(totalToolUseCount ?? 0), 'tool call');
  return { notes: [room.paint('dim', calls)], rows: folded(report, HEAD, room, 'dim') };
}

/** The person's own answers to the agent's questions. */
function answersShown({ answers }: Output, room: ToolRoom): Shown {
  const given = Object.entries(fieldsOf(answers));
  const text = given.map(([question, answer]) => `${question} ${String(answer)}`).join('\n');
  return { notes: [], rows: folded(text, HEAD, room, 'dim') };
}

function pageShown({ code, result, bytes }: Output, room: ToolRoom): Shown {
  const size = typeof bytes === 'number' ? [sizeText(bytes)] : [];
  const notes = [...(code === undefined ? [] : [displayText(String(code))]), ...size];
  const rows = folded(typeof result === 'string' ? result : '', HEAD, room, 'dim');
  return { notes: notes.map((note) => room.paint('dim', note)), rows };
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
    if (code === undefined) return notDone(reasonInWords(outcome.reason), 'red', room);
    const rows = folded(withoutModelText(printed), SHELL, room, 'dim');
    return { notes: [paint('red', `exit ${code}`)], rows };
  }
  const { stdout, stderr, backgroundTaskId, taskId, returnCodeInterpretation } = fieldsOf(output);
  const printed = [stdout, stderr]
    .filter((one) => typeof one === 'string' && one !== '')
    .join('\n');
  const rows = folded(output === undefined ? withoutModelText(text) : printed, SHELL, room, 'dim');
  const isBehind = backgroundTaskId !== undefined || taskId !== undefined;
  const end = isBehind ? BEHIND : (returnCodeInterpretation ?? 'exit 0');
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
