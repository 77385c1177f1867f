import { displayLines } from '../../../index.ts';
import { graphemes, textWidth } from '../../../terminal/text-width.ts';

const TAB = '    ';

/** A text from outside in rows that fit: safe to show, broken between words where that is possible. */
export function wrapRows(text: string, columns: number): string[] {
  const safe = displayLines(text.replaceAll('\r\n', '\n')).replaceAll('\t', TAB);
  return safe.split('\n').flatMap((line) => wrapLine(line, Math.max(2, columns)));
}

/** The last rows of a text that grows; only its end is looked at, however long it is. */
export function lastRows(text: string, columns: number, most: number): string[] {
  if (most <= 0) return [];
  const reach = Math.max(200, columns * (most + 1));
  const end = text.length > reach ? text.slice(-reach).toWellFormed() : text;
  return wrapRows(end, columns).slice(-most);
}

/** Cuts a row that is safe to show, colours and all, after so many characters of whatever kind. */
export function clipPainted(row: string, most: number): string {
  if (row.length <= most) return row;
  const whole = row
    .slice(0, most)
    .toWellFormed()
    .replace(/\x1b[^m]*$/, '');
  return whole.includes('\x1b') ? `${whole}\x1b[0m…` : `${whole}…`;
}

function wrapLine(line: string, columns: number): string[] {
  // No character is wider than two columns, and counting is slow.
  if (line.length * 2 <= columns || textWidth(line) <= columns) return [line];
  const rows: string[] = [];
  let row = '';
  let width = 0;
  for (const grapheme of graphemes(line)) {
    const more = textWidth(grapheme);
    if (width + more > columns) {
      const cut = cutOf(row, grapheme, more);
      rows.push(row.slice(0, cut).trimEnd());
      row = row.slice(cut);
      width = textWidth(row);
      // The space that a row ends with is not the beginning of the next.
      if (grapheme === ' ' && row === '') continue;
    }
    row += grapheme;
    width += more;
  }
  return [...rows, row];
}

/** Chinese and the like may be broken anywhere; other words stay whole where they can. */
function cutOf(row: string, next: string, width: number): number {
  if (width > 1 || next === ' ') return row.length;
  const space = row.lastIndexOf(' ') + 1;
  return row.slice(0, space).trim() === '' ? row.length : space;
}
