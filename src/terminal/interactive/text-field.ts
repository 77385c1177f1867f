import { displayText } from '../../index.ts';
import { clipWidth, graphemes, textWidth } from '../text-width.ts';
import type { KeyName } from './keys.ts';
import type { Position } from './screen.ts';

/** What the cursor steps over at once: a character, a line break, or a paste that is shown folded. */
export interface Cell {
  readonly text: string;
  readonly folded: boolean;
}

/** What is being typed. A value: each key makes another one. */
export interface TextField {
  readonly cells: readonly Cell[];
  /** How many cells are before the cursor. */
  readonly cursor: number;
}

export const EMPTY_FIELD: TextField = { cells: [], cursor: 0 };

/** Nobody reads more than this while typing, and it would make every key slow. */
const LONGEST_UNFOLDED = 1_000;
const MOST_LINES_UNFOLDED = 10;

export function textOf({ cells }: TextField): string {
  return cells.map(({ text }) => text).join('');
}

export function fieldOf(text: string): TextField {
  return insert(EMPTY_FIELD, text);
}

export function insert({ cells, cursor }: TextField, text: string): TextField {
  const before = cells.slice(0, cursor);
  const after = cells.slice(cursor);
  const last = before.at(-1);
  if (isLong(text)) {
    // A terminal that does not mark pastes sends a long one in pieces.
    const whole = last?.folded ? (before.pop()?.text ?? '') + text : text;
    return {
      cells: [...before, { text: whole, folded: true }, ...after],
      cursor: before.length + 1,
    };
  }
  // A mark that combines with the character before it makes one character with it.
  const joined = last === undefined || last.folded ? '' : (before.pop()?.text ?? '');
  before.push(...graphemes(joined + text).map((grapheme) => ({ text: grapheme, folded: false })));
  return { cells: [...before, ...after], cursor: before.length };
}

/** What a key does to the text; null for keys that do nothing to it by themselves. */
export function edited(field: TextField, name: KeyName): TextField | null {
  return EDITS[name]?.(field) ?? null;
}

const EDITS: Partial<Record<KeyName, (field: TextField) => TextField>> = {
  left: ({ cells, cursor }) => ({ cells, cursor: Math.max(0, cursor - 1) }),
  right: ({ cells, cursor }) => ({ cells, cursor: Math.min(cells.length, cursor + 1) }),
  home: (field) => ({ ...field, cursor: lineStart(field) }),
  end: (field) => ({ ...field, cursor: lineEnd(field) }),
  backspace: (field) => without(field, field.cursor - 1),
  delete: ({ cells, cursor }) => ({ cells: cells.toSpliced(cursor, 1), cursor }),
  'delete-word': (field) => without(field, wordStart(field)),
  'delete-all': () => EMPTY_FIELD,
  'line-break': (field) => insert(field, '\n'),
};

/** Takes away what is between a place and the cursor. */
function without({ cells, cursor }: TextField, from: number): TextField {
  const start = Math.max(0, from);
  return { cells: cells.toSpliced(start, cursor - start), cursor: start };
}

function lineStart({ cells, cursor }: TextField): number {
  return cells.findLastIndex(({ text }, i) => i < cursor && text === '\n') + 1;
}

function lineEnd({ cells, cursor }: TextField): number {
  const end = cells.findIndex(({ text }, i) => i >= cursor && text === '\n');
  return end === -1 ? cells.length : end;
}

function wordStart({ cells, cursor }: TextField): number {
  const isSpace = (i: number): boolean => /^\s$/.test(cells[i]?.text ?? '');
  let start = cursor;
  while (start > 0 && isSpace(start - 1)) start--;
  while (start > 0 && !isSpace(start - 1)) start--;
  return start;
}

function isLong(text: string): boolean {
  return text.length > LONGEST_UNFOLDED || text.split('\n').length > MOST_LINES_UNFOLDED;
}

export interface FieldRows {
  readonly rows: readonly string[];
  readonly cursor: Position;
}

/** The text as it is drawn: broken where a line ends or the columns do. */
export function fieldRows(field: TextField, columns: number): FieldRows {
  const { places, rows } = laidOut(field, columns);
  const cursor = places[field.cursor] ?? { row: 0, column: 0 };
  return { rows, cursor };
}

/** Moves the cursor a row up or down; null where there is no such row. */
export function movedRow(field: TextField, step: -1 | 1, columns: number): TextField | null {
  const { places, rows } = laidOut(field, columns);
  const from = places[field.cursor] ?? { row: 0, column: 0 };
  const row = from.row + step;
  if (row < 0 || row >= rows.length) return null;
  const cursor = places.findLastIndex((place) => place.row === row && place.column <= from.column);
  return { ...field, cursor: Math.max(0, cursor) };
}

/** The rows, and where each cell begins; one place more than cells, for the end. */
function laidOut({ cells }: TextField, columns: number): { rows: string[]; places: Position[] } {
  const rows = [''];
  const places: Position[] = [];
  let column = 0;
  const breakRow = (): void => {
    rows.push('');
    column = 0;
  };
  for (const cell of cells) {
    const shown = cell.text === '\n' ? '' : clipWidth(shownAs(cell), columns);
    const width = textWidth(shown);
    if (column + width > columns || column >= columns) breakRow();
    places.push({ row: rows.length - 1, column });
    rows.push((rows.pop() ?? '') + shown);
    column += width;
    if (cell.text === '\n') breakRow();
  }
  // The cursor needs a place of its own behind the last character.
  if (column >= columns) breakRow();
  places.push({ row: rows.length - 1, column });
  return { rows, places };
}

const TAB = '    ';

function shownAs({ text, folded }: Cell): string {
  if (folded) return `[pasted ${text.length.toLocaleString('en-US')} characters]`;
  return text === '\t' ? TAB : displayText(text);
}
