import { displayText } from '../../index.ts';
import { clipWidth, textWidth } from '../text-width.ts';
import type { Position } from './screen.ts';
import { type Cell, movedTo, type TextField } from './text-field.ts';

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
  return movedTo(field, Math.max(0, cursor));
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
  if (!folded) return text === '\t' ? TAB : displayText(text);
  const lines = text.trimEnd().split('\n').length;
  const [count, what] = lines > 1 ? [lines, 'lines'] : [text.length, 'characters'];
  return `[Pasted ${count.toLocaleString('en-US')} ${what}]`;
}
