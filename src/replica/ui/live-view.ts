import { displayText } from '../../index.ts';
import type { Paint } from '../../terminal/paint.ts';
import { clipWidth } from '../../terminal/text-width.ts';
import { choiceRows, type DialogRoom } from './dialog/choice-rows.ts';
import { type PromptView, promptView } from './prompt/prompt-view.ts';
import { lastRows } from './transcript/wrap-rows.ts';
import type { Size, UIState } from './ui-store.ts';

/** What is drawn below what has scrolled by. Never as high as the terminal: that would scroll it. */
export interface LiveView {
  /** The end of the answer that is coming. */
  readonly answer: readonly string[];
  readonly activity: string | null;
  readonly below: readonly string[];
  /** Where the cursor is, counted from the first row of all; null hides it. */
  readonly cursor: { readonly x: number; readonly y: number } | null;
}

export interface LiveOptions {
  readonly paint: Paint;
  readonly now: number;
}

const ROOMY = 12;

export function liveView(state: UIState, { paint, now }: LiveOptions): LiveView {
  const room = liveRoom(state.size);
  if (state.dialog !== null) {
    const below = choiceRows(state.dialog, dialogRoom(state.size, now), paint);
    return {
      answer: answerRows(state, room - below.length, paint),
      activity: null,
      below,
      cursor: null,
    };
  }
  const activity = room > 2 ? state.activity : null;
  const prompt = promptView(state, room - (activity === null ? 0 : 1), paint);
  const used = prompt.rows.length + (activity === null ? 0 : 1);
  const answer = answerRows(state, room - used, paint);
  const cursor = cursorOf(prompt, answer.length + (activity === null ? 0 : 1));
  const shown =
    activity === null ? null : clipWidth(displayText(activity), state.size.columns - 24);
  return { answer, activity: shown, below: prompt.rows, cursor };
}

/** How many rows all of it takes, and the one below that ink leaves free. */
export function liveHeight(state: UIState, now: number): number {
  const { answer, activity, below } = liveView(state, { paint: (_style, text) => text, now });
  return answer.length + (activity === null ? 0 : 1) + below.length + 1;
}

/** The room that a dialog has to draw itself in. */
export function dialogRoom({ columns, rows }: Size, now: number): DialogRoom {
  return { columns, rows: liveRoom({ columns, rows }), now };
}

/** A row stays free: a frame as high as the terminal would be drawn over what has scrolled by. */
function liveRoom({ rows }: Size): number {
  return Math.max(1, rows - 2);
}

function answerRows(
  { answer, thinking, verbose, size }: UIState,
  room: number,
  paint: Paint,
): string[] {
  if (answer !== '') {
    const rows = lastRows(answer.trimEnd(), size.columns, room - 1);
    return rows.length === 0 ? [] : ['', ...rows];
  }
  if (thinking === '' || room < 1) return [];
  const rows = verbose
    ? lastRows(thinking.trimEnd(), size.columns - 2, Math.min(room, ROOMY)).map((row) => `  ${row}`)
    : [clipWidth('thinking … (Ctrl-O shows it)', size.columns)];
  return rows.map((row) => paint('dim', row));
}

function cursorOf({ cursor }: PromptView, above: number): { x: number; y: number } {
  return { x: cursor.column, y: cursor.row + above };
}
