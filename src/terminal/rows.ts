import { displayLines } from '../index.ts';
import {
  clipWidth,
  graphemes,
  graphemeWidth,
  padWidth,
  textWidth,
  wrapWords,
} from './text-width.ts';

const LEAST_PROSE = 24;
const BELOW = '      ';

/**
 * Prose beside a label, wrapped in a column of its own; below the label where that is too narrow. The label
 * has the spaces up to that column.
 */
export function beside(
  label: string,
  prose: string,
  columns: number,
  paint: (line: string) => string = (line) => line,
): string[] {
  const width = textWidth(label);
  const room = columns - width;
  if (room >= LEAST_PROSE || textWidth(prose) <= room) {
    const lines = wrapWords(prose, room).map(paint);
    return lines.map((line, i) => (i === 0 ? label : ' '.repeat(width)) + line);
  }
  const lines = wrapWords(prose, columns - BELOW.length).map(paint);
  return [label.trimEnd(), ...lines.map((line) => BELOW + line)];
}

const GAP = '  ';
const LEAST_LAST = 16;

/**
 * Rows in columns, each as wide as its widest cell. What does not fit is cut off the last one, unless it has
 * to be there whole: a path is there to be copied.
 */
export function table(
  rows: readonly (readonly string[])[],
  columns: number = Number.POSITIVE_INFINITY,
): string[] {
  const widths = new Map<number, number>();
  for (const cells of rows) {
    for (const [at, cell] of cells.slice(0, -1).entries()) {
      widths.set(at, Math.max(widths.get(at) ?? 0, textWidth(cell)));
    }
  }
  return rows.map((cells) => {
    const before = cells.slice(0, -1).map((cell, at) => padWidth(cell, widths.get(at) ?? 0) + GAP);
    const start = GAP + before.join('');
    const room = Math.max(LEAST_LAST, columns - textWidth(start));
    return (start + clipWidth(cells.at(-1) ?? '', room)).trimEnd();
  });
}

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

function wrapLine(line: string, columns: number): string[] {
  return breakLine(line, columns).map(([from, to]) => line.slice(from, to));
}

/** A part of a line: from a place up to another, which is not part of it. */
export type Stretch = readonly [from: number, to: number];

/** The rows of a line that is safe to show; the spaces that it is broken at are in none of them. */
export function breakLine(line: string, columns: number): readonly Stretch[] {
  // No character is wider than two columns, and counting is slow.
  if (line.length * 2 <= columns || textWidth(line) <= columns) return [[0, line.length]];
  const rows: Stretch[] = [];
  let from = 0;
  let at = 0;
  let width = 0;
  for (const grapheme of graphemes(line)) {
    const more = graphemeWidth(grapheme);
    if (width + more > columns) {
      const row = line.slice(from, at);
      const cut = cutOf(row, grapheme, more);
      rows.push([from, from + row.slice(0, cut).trimEnd().length]);
      from += cut;
      width = textWidth(row.slice(cut));
      // The space that a row ends with is not the beginning of the next.
      if (grapheme === ' ' && from === at) {
        from += 1;
        at += 1;
        continue;
      }
    }
    at += grapheme.length;
    width += more;
  }
  return from < line.length ? [...rows, [from, line.length]] : rows;
}

/** Chinese and the like may be broken anywhere; other words stay whole where they can. */
function cutOf(row: string, next: string, width: number): number {
  if (width > 1 || next === ' ') return row.length;
  const space = row.lastIndexOf(' ') + 1;
  return row.slice(0, space).trim() === '' ? row.length : space;
}
