import { type CheckpointId, displayText, type ListedCheckpoint } from '../../index.ts';
import type { Paint } from '../../terminal/paint.ts';
import { padWidth, textWidth } from '../../terminal/text-width.ts';
import { layoutOf } from './layout.ts';
import { fitPainted } from './painted.ts';
import type { PickerState } from './state.ts';

/** One row of the screen. Each half has its own place, so that no text can push the other away. */
export interface ScreenRow {
  readonly left: string;
  readonly right: { readonly column: number; readonly text: string } | null;
}

export interface ViewContext {
  readonly now: number;
  readonly paint: Paint;
  /** The diff of the selected checkpoint, or what stands in for it. */
  readonly diff: readonly string[];
  /** How many first characters of each id are shown. */
  readonly idLength: number;
  /** The checkpoint at which the files stand. */
  readonly current: CheckpointId | null;
  /** What is asked; null while nothing is. */
  readonly question: string | null;
}

/** The whole screen. Pure: the same state gives the same rows. */
export function viewOf(state: PickerState, context: ViewContext): ScreenRow[] {
  const { columns, rows } = state.size;
  const body = bodyOf(state, context);
  const whole = (text: string): ScreenRow => ({ left: fitPainted(text, columns), right: null });
  const screen = [whole(headline(state, context.paint)), ...body, whole(bottomOf(state, context))];
  return screen.slice(0, rows);
}

function bottomOf(state: PickerState, { paint, question }: ViewContext): string {
  return question === null ? paint('dim', keysOf(state)) : paint('bold', question);
}

const PROMPT = 'Rewind to: ';

function headline({ filter, matches, entries, size }: PickerState, paint: Paint): string {
  const count = ` ${matches.length} of ${entries.length}`;
  const room = size.columns - PROMPT.length - count.length;
  const typed = endOf(displayText(filter), room - 1);
  const field = filter === '' ? paint('dim', 'type to filter') : `${typed}▏`;
  const width = filter === '' ? 'type to filter'.length : textWidth(typed) + 1;
  const gap = ' '.repeat(Math.max(0, room - width));
  return paint('bold', PROMPT) + field + gap + paint('dim', count);
}

/** The end of a text that fits: where somebody types is what they look at. */
function endOf(text: string, columns: number): string {
  let end = text.slice(-Math.max(0, columns) * 8);
  while (end !== '' && textWidth(end) > columns) {
    const [first] = graphemes.segment(end);
    end = end.slice(first?.segment.length ?? 1);
  }
  return end;
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

function bodyOf(state: PickerState, context: ViewContext): ScreenRow[] {
  const { rows, listColumns, diff } = layoutOf(state.size);
  const { paint } = context;
  const bar = paint(state.focus === 'diff' ? 'cyan' : 'dim', '│');
  return Array.from({ length: rows }, (_, row) => {
    const left = fitPainted(listRow(state, context, row), listColumns);
    if (diff === null) return { left, right: null };
    const line = context.diff[state.diffTop + row] ?? '';
    const text = `${bar} ${fitPainted(line, diff.columns)}`;
    return { left, right: { column: diff.column - 2, text } };
  });
}

function listRow(state: PickerState, context: ViewContext, row: number): string {
  const { now, paint, idLength, current } = context;
  const { matches, top, selected } = state;
  const entry = matches[top + row];
  if (entry === undefined) return row === 0 ? paint('dim', nothingText(state)) : '';
  const isSelected = top + row === selected;
  const { checkpoint } = entry;
  const when = padWidth(shortTime(checkpoint.createdAt, now), 4);
  const marks = (isSelected ? '>' : ' ') + (checkpoint.id === current ? '@' : ' ');
  const text = `${marks} ${checkpoint.id.slice(0, idLength)} ${when} ${nameOf(checkpoint)}`;
  return isSelected ? paint('bold', paint('cyan', text)) : text;
}

function nothingText({ entries }: PickerState): string {
  return entries.length === 0 ? '  no checkpoint yet' : '  nothing fits; Esc shows all';
}

export function nameOf({ description, label }: ListedCheckpoint): string {
  const what = label === null || label === description ? description : `[${label}] ${description}`;
  return displayText(what);
}

/** "40s", "5m", "3h": as much as fits in a narrow column. */
function shortTime(then: number, now: number): string {
  const seconds = Math.floor((now - then) / 1000);
  // The list speaks of "just now" for as long.
  if (seconds < 10) return 'now';
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)}h`;
  return `${Math.min(999, Math.floor(minutes / (24 * 60)))}d`;
}

function keysOf({ focus, filter, size }: PickerState): string {
  const hasDiff = layoutOf(size).diff !== null;
  if (focus === 'diff') return 'Enter rewind  ↑↓ scroll  Tab back to the list';
  const out = filter === '' ? 'Esc leave' : 'Esc show all';
  return `Enter rewind  ↑↓ move  ${hasDiff ? 'Tab scroll the diff  ' : ''}${out}`;
}
