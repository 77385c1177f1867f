import { displayText } from '../../../index.ts';
import { clipWidth, textWidth } from '../../../terminal/text-width.ts';
import type { Cell, PromptText } from './prompt-text.ts';

export interface Position {
  readonly row: number;
  readonly column: number;
}

export interface PromptRows {
  readonly rows: readonly string[];
  readonly cursor: Position;
}

/** The text as it is drawn: broken where a line ends or the columns do. */
export function promptRows(prompt: PromptText, columns: number): PromptRows {
  const { places, rows } = laidOut(prompt, columns);
  const cursor = places[prompt.cursor] ?? { row: 0, column: 0 };
  return { rows, cursor };
}

/** The cursor a row up or down; null where there is none, as the arrows mean the history there. */
export function movedRow(prompt: PromptText, step: -1 | 1, columns: number): PromptText | null {
  const { places, rows } = laidOut(prompt, columns);
  const from = places[prompt.cursor] ?? { row: 0, column: 0 };
  const row = from.row + step;
  if (row < 0 || row >= rows.length) return null;
  const cursor = places.findLastIndex((place) => place.row === row && place.column <= from.column);
  return { ...prompt, cursor: Math.max(0, cursor) };
}

/** The rows, and where each cell begins; one place more than cells, for the end. */
function laidOut({ cells }: PromptText, columns: number): { rows: string[]; places: Position[] } {
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
