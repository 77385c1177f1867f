import { displayText } from '../../index.ts';
import { type ChooserRoom, chooserRows } from '../../terminal/interactive/chooser-rows.ts';
import { type FieldRows, fieldRows } from '../../terminal/interactive/field-rows.ts';
import type { Position, Size } from '../../terminal/interactive/screen.ts';
import { textOf } from '../../terminal/interactive/text-field.ts';
import type { Paint } from '../../terminal/paint.ts';
import {
  clipPainted,
  clipStart,
  clipWidth,
  padWidth,
  textWidth,
} from '../../terminal/text-width.ts';
import { isAllDone, runningRows, todoRows } from '../tools/tool-rows.ts';
import { keyHelpRows } from './key-help.ts';
import { shownOf } from './markdown-stream.ts';
import type { PromptState } from './prompt.ts';
import type { HistorySearch } from './prompt-history.ts';
import { statusText } from './status-line.ts';
import { answerRows, thinkingRows } from './transcript.ts';
import type { UIState } from './ui-state.ts';

/** The rows below what has scrolled by. Always fewer than the terminal has: otherwise they would scroll. */
export interface LiveView {
  readonly rows: readonly string[];
  /** Null hides it. */
  readonly cursor: Position | null;
}

export interface LiveOptions {
  readonly paint: Paint;
  readonly now: number;
  readonly cwd?: string | null;
}

/** The end of the answer that comes, what the agent is at, and the input or a question. */
export function liveView(state: UIState, options: LiveOptions): LiveView {
  const { paint, now } = options;
  const room = liveRoom(state.size);
  if (state.dialog !== null) {
    const below = chooserRows(state.dialog, dialogRoom(state.size, now), paint);
    return { rows: [...comingRows(state, room - below.length, paint), ...below], cursor: null };
  }
  const activity = room > 2 ? activityRow(state, paint, now) : [];
  const prompt = promptView(state, room - activity.length, paint);
  const free = room - activity.length - prompt.rows.length;
  const waiting = waitingRows(state, Math.min(MOST_WAITING, free), paint);
  const work = workRows(state, free - waiting.length, options);
  const answer = comingRows(state, free - waiting.length - work.length, paint);
  const above = [...answer, ...work, ...activity, ...waiting];
  const { row, column } = prompt.cursor;
  return { rows: [...above, ...prompt.rows], cursor: { row: above.length + row, column } };
}

/** The room that a dialog has to draw itself in. */
export function dialogRoom({ columns, rows }: Size, now: number): ChooserRoom {
  return { columns, rows: liveRoom({ columns, rows }), now };
}

function liveRoom({ rows }: Size): number {
  return Math.max(1, rows - 1);
}

/** The calls that run, and below them what is left to do. The answer that comes has more room than these. */
function workRows(
  { running, todos, activity, size, verbose }: UIState,
  room: number,
  { paint, now, cwd = null }: LiveOptions,
): string[] {
  const most = Math.floor(room / 2);
  const tools = { columns: size.columns, verbose, paint, cwd };
  const isShown = activity !== null && !isAllDone(todos);
  const list = isShown ? todoRows(todos, size.columns, paint) : [];
  const calls = running.map((call) => runningRows(call, now, tools));
  // The newest calls, where there is no room for all of them.
  while (calls.length > 1 && calls.flat().length + list.length > most) calls.shift();
  return [...calls.flat(), ...list].slice(0, Math.max(0, most));
}

const SIGNS = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/** How often a sign follows the one before. */
export const SIGN_MS = 100;

/** What the agent is at, with a sign that moves as long as it is. */
function activityRow({ activity, size }: UIState, paint: Paint, now: number): string[] {
  if (activity === null) return [];
  const sign = SIGNS[Math.floor(now / SIGN_MS) % SIGNS.length] ?? '';
  const what = clipWidth(displayText(activity), Math.max(1, size.columns - 24));
  return [`${paint('cyan', sign)} ${what} ${paint('dim', '(Esc interrupts)')}`];
}

const MOST_THINKING = 12;

function comingRows(
  { answer, answerJoins, thinking, verbose, size }: UIState,
  room: number,
  paint: Paint,
): string[] {
  const { columns } = size;
  if (answer !== '') {
    const rows = answerRows(shownOf(answer), answerJoins, { columns, paint });
    return rows.slice(Math.max(0, rows.length - Math.max(0, room)));
  }
  if (thinking === '' || room < 1) return [];
  const most = Math.min(room, MOST_THINKING);
  return thinkingRows(thinking.trimEnd(), { columns, verbose, paint }, most);
}

const MOST_WAITING = 4;
const TAKE_BACK = '(↑ takes it back)';

/** The prompts that are sent next, a row each; of many the last, which ↑ takes back. */
function waitingRows({ waiting, size }: UIState, room: number, paint: Paint): string[] {
  if (room < 1 || waiting.length === 0) return [];
  const shown = waiting.slice(-room);
  return shown.map((prompt, i) => {
    const isLast = i === shown.length - 1;
    const isFirst = i === 0 && waiting.length > shown.length;
    const more = isFirst ? `${waiting.length - shown.length} more, ` : '';
    const note = isLast ? ` ${TAKE_BACK}` : '';
    const text = displayText(prompt.slice(0, size.columns * 4).toWellFormed());
    const column = size.columns - textWidth(note);
    return paint('dim', clipWidth(`${more}waits: ${text}`, Math.max(8, column)) + note);
  });
}

/** `> ` before the first row, and as much before the others. */
export const PROMPT_MARGIN = 2;
const MOST_ROWS = 10;
const MOST_OFFERS = 8;
/** With less, the input has neither lines around it nor a status below. */
const LEAST_FOR_FRAME = 6;

/** The input: offers, the text between two lines, the status. */
function promptView(state: UIState, room: number, paint: Paint): FieldRows {
  const { columns } = state.size;
  const isFramed = room >= LEAST_FOR_FRAME;
  const { rows, cursor } = fieldRows(state.prompt.field, columns - PROMPT_MARGIN);
  const most = isFramed ? Math.min(MOST_ROWS, Math.max(1, Math.floor(room / 2) - 1)) : room;
  const top = Math.max(0, Math.min(cursor.row - most + 1, rows.length - most));
  const typed = rows
    .slice(top, top + most)
    .map((row, i) => `${i + top === 0 ? signOf(state.prompt, paint) : ' '} ${row}`);
  const style = state.prompt.mode === 'prompt' ? 'dim' : 'magenta';
  const frame = isFramed ? [paint(style, '─'.repeat(columns))] : [];
  const below = isFramed
    ? [...frame, ...belowRows(state, room - typed.length - 2, paint)]
    : hintRow(state, paint, room - typed.length);
  const left = room - typed.length - frame.length - below.length;
  const images = state.images.slice(0, Math.max(0, left - 1));
  const marks = images.map((mark) => paint('cyan', clipWidth(displayText(mark), columns)));
  const offerRoom = Math.min(MOST_OFFERS, left - marks.length);
  const offers = offerRows(state.prompt, { columns, room: offerRoom }, paint);
  const above = [...offers, ...marks, ...frame];
  return {
    rows: [...above, ...typed, ...below],
    cursor: { row: above.length + cursor.row - top, column: cursor.column + PROMPT_MARGIN },
  };
}

/** The status, or in its place the search or the keys. */
function belowRows(state: UIState, room: number, paint: Paint): string[] {
  const { columns } = state.size;
  if (state.prompt.search !== null) return [searchRow(state.prompt.search, columns, paint)];
  if (state.showsKeys) return keyHelpRows(columns, room, paint, state.status?.wayBack !== null);
  return [statusRow(state, paint)];
}

function searchRow({ query, at }: HistorySearch, columns: number, paint: Paint): string {
  const text = displayText(textOf(query));
  const isNowhere = at === null && text !== '';
  const keys = isNowhere ? 'nothing found' : 'Ctrl-R older · Enter sends · Tab edits';
  const room = Math.max(8, columns - textWidth(SEARCH) - textWidth(keys) - 4);
  return clipPainted(
    `${paint('cyan', SEARCH)} ${clipStart(text, room)}▏ ${paint(isNowhere ? 'yellow' : 'dim', keys)}`,
    columns,
  );
}

const SEARCH = 'search:';

const MODES = {
  command: { sign: '!', says: 'your own command: its output goes to the model · Esc leaves' },
  note: { sign: '#', says: 'Enter adds this line to CLAUDE.md · Esc leaves' },
} as const;

function signOf({ mode }: PromptState, paint: Paint): string {
  return mode === 'prompt' ? paint('cyan', '>') : paint('magenta', MODES[mode].sign);
}

function statusRow({ hint, status, size, prompt }: UIState, paint: Paint): string {
  if (hint !== null) return paint('yellow', clipWidth(displayText(hint), size.columns));
  if (prompt.mode !== 'prompt') {
    return paint('magenta', clipWidth(MODES[prompt.mode].says, size.columns));
  }
  const text = status === null ? '' : statusText(status, size.columns);
  return paint('dim', clipWidth(text, size.columns));
}

function hintRow(state: UIState, paint: Paint, room: number): string[] {
  const says = state.hint !== null || state.prompt.mode !== 'prompt';
  return says && room >= 1 ? [statusRow(state, paint)] : [];
}

function offerRows(
  { completions, offered }: PromptState,
  { columns, room }: { readonly columns: number; readonly room: number },
  paint: Paint,
): string[] {
  if (room < 1) return [];
  // The last row says how many there are beside those that are shown.
  const isCut = completions.length > room && room > 1;
  const shown = isCut ? room - 1 : room;
  const top = Math.max(0, Math.min((offered ?? 0) - shown + 1, completions.length - shown));
  const names = Math.max(0, ...completions.map(({ text }) => textWidth(displayText(text))));
  const rows = completions.slice(top, top + shown).map(({ text, summary }, i) => {
    const isOffered = i + top === offered;
    const name = padWidth(clipWidth(displayText(text), columns - 2), Math.min(names, columns - 2));
    const rest = columns - 4 - textWidth(name);
    const more = rest > 8 ? `  ${paint('dim', clipWidth(displayText(summary), rest))}` : '';
    return `${isOffered ? paint('cyan', '❯') : ' '} ${isOffered ? paint('bold', name) : name}${more}`;
  });
  const rest = `  … ${completions.length - shown} more`;
  return isCut ? [...rows, paint('dim', clipWidth(rest, columns))] : rows;
}
