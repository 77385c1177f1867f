import { displayText } from '../../../index.ts';
import type { Paint } from '../../../terminal/paint.ts';
import { clipWidth, padWidth, textWidth } from '../../../terminal/text-width.ts';
import type { UIState } from '../ui-store.ts';
import { type Position, promptRows } from './prompt-rows.ts';
import type { PromptState } from './prompt-state.ts';

export interface PromptView {
  readonly rows: readonly string[];
  readonly cursor: Position;
}

/** `> ` before the first row, and as much before the others. */
export const PROMPT_MARGIN = 2;
const MOST_ROWS = 10;
const MOST_OFFERS = 6;
/** With less, the input has neither lines around it nor a status below. */
const LEAST_FOR_FRAME = 6;

/** The input: offers, the text between two lines, the status. */
export function promptView(state: UIState, room: number, paint: Paint): PromptView {
  const { columns } = state.size;
  const isFramed = room >= LEAST_FOR_FRAME;
  const { rows, cursor } = promptRows(state.prompt.prompt, columns - PROMPT_MARGIN);
  const most = isFramed ? Math.min(MOST_ROWS, Math.max(1, Math.floor(room / 2) - 1)) : room;
  const top = Math.max(0, Math.min(cursor.row - most + 1, rows.length - most));
  const typed = rows.slice(top, top + most).map((row, i) => markOf(i + top, paint) + row);
  const frame = isFramed ? [paint('dim', '─'.repeat(columns))] : [];
  const below = isFramed
    ? [...frame, statusRow(state, paint)]
    : hintRow(state, paint, room - typed.length);
  const left = room - typed.length - frame.length - below.length;
  const offers = offerRows(state.prompt, { columns, room: Math.min(MOST_OFFERS, left) }, paint);
  const above = [...offers, ...frame];
  return {
    rows: [...above, ...typed, ...below],
    cursor: { row: above.length + cursor.row - top, column: cursor.column + PROMPT_MARGIN },
  };
}

function markOf(row: number, paint: Paint): string {
  return row === 0 ? `${paint('cyan', '>')} ` : '  ';
}

function statusRow({ hint, status, size }: UIState, paint: Paint): string {
  if (hint !== null) return paint('yellow', clipWidth(hint, size.columns));
  return paint('dim', clipWidth(displayText(status), size.columns));
}

function hintRow(state: UIState, paint: Paint, room: number): string[] {
  return state.hint === null || room < 1 ? [] : [statusRow(state, paint)];
}

function offerRows(
  { completions, offered }: PromptState,
  { columns, room }: { readonly columns: number; readonly room: number },
  paint: Paint,
): string[] {
  if (room < 1) return [];
  const top = Math.max(0, Math.min((offered ?? 0) - room + 1, completions.length - room));
  const names = Math.max(0, ...completions.map(({ text }) => textWidth(displayText(text))));
  return completions.slice(top, top + room).map(({ text, summary }, i) => {
    const isOffered = i + top === offered;
    const name = padWidth(clipWidth(displayText(text), columns - 2), Math.min(names, columns - 2));
    const rest = columns - 4 - textWidth(name);
    const more = rest > 8 ? `  ${paint('dim', clipWidth(displayText(summary), rest))}` : '';
    return `${isOffered ? paint('cyan', '❯') : ' '} ${isOffered ? paint('bold', name) : name}${more}`;
  });
}
