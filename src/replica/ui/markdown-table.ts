import type { Tokens } from 'marked';
import type { Paint } from '../../terminal/paint.ts';
import { textWidth, widestOf } from '../../terminal/text-width.ts';
import { known } from './markdown-grammar.ts';
import { runsOf } from './markdown-inline.ts';
import { linesOf, painted, type StyledLine, textOf, wrapLine } from './styled-text.ts';

export interface TableRoom {
  readonly columns: number;
  readonly paint: Paint;
}

const GAP = ' │ ';
/** With less room, columns would be unreadable: each row is shown as a list instead. */
const LEAST_WIDTH = 8;

/** A table in columns that fit, cells wrapped where they must be. */
export function tableRows({ header, rows, align }: Tokens.Table, room: TableRoom): string[] {
  const head = header.map((cell) => cellLines(cell, true));
  const body = rows.map((cells) => cells.map((cell) => cellLines(cell, false)));
  const natural = head.map((lines, i) =>
    Math.max(1, ...[lines, ...body.map((cells) => cells[i] ?? [])].map(widthOf)),
  );
  const free = room.columns - GAP.length * (natural.length - 1);
  const widest = widestThatFits(natural, free);
  if (widest < LEAST_WIDTH && natural.some((width) => width > widest)) {
    const records = body.length === 0 ? [head.map(() => [])] : body;
    return records.flatMap((cells) => recordRows(head, cells, room));
  }
  const widths = natural.map((width) => Math.min(width, widest));
  const drawn = (cells: Cells): string[] => rowOf(cells, { widths, align, paint: room.paint });
  const rule = room.paint('dim', widths.map((width) => '─'.repeat(width)).join('─┼─'));
  const below = body.map(drawn);
  // Where cells are wrapped, nobody could tell the rows apart.
  const isWrapped = below.some(({ length }) => length > 1);
  const parts = below.flatMap((row, i) => (isWrapped && i > 0 ? [rule, ...row] : row));
  return [...drawn(head), rule, ...parts];
}

/** The lines of each cell of a row. */
type Cells = readonly (readonly StyledLine[])[];

function cellLines({ tokens }: Tokens.TableCell, isHead: boolean): StyledLine[] {
  return linesOf(runsOf(known(tokens), isHead ? ['bold'] : []));
}

function widthOf(lines: readonly StyledLine[]): number {
  return widestOf(lines.map(textOf));
}

/** How wide the widest columns may be so that all of them fit; narrower ones keep their width. */
function widestThatFits(natural: readonly number[], free: number): number {
  let left = free;
  for (const [i, width] of natural.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(left / (natural.length - i));
    if (width > share) return share;
    left -= width;
  }
  return Math.max(free, 1);
}

interface ColumnLayout {
  readonly widths: readonly number[];
  readonly align: Tokens.Table['align'];
  readonly paint: Paint;
}

function rowOf(cells: Cells, { widths, align, paint }: ColumnLayout): string[] {
  const wrapped = widths.map((width, i) =>
    (cells[i] ?? []).flatMap((line) => wrapLine(line, width)),
  );
  const height = wrapped.reduce((most, { length }) => Math.max(most, length), 1);
  const gap = paint('dim', GAP);
  return Array.from({ length: height }, (_, y) => {
    const parts = wrapped.map((lines, i) => {
      const line = lines[y] ?? [];
      const [before, after] = spaces((widths[i] ?? 0) - textWidth(textOf(line)), align[i] ?? null);
      return before + painted(line, paint) + (i === widths.length - 1 ? '' : after);
    });
    return parts.join(gap).trimEnd();
  });
}

function spaces(room: number, align: 'center' | 'left' | 'right' | null): [string, string] {
  const all = Math.max(0, room);
  const before = align === 'right' ? all : align === 'center' ? Math.floor(all / 2) : 0;
  return [' '.repeat(before), ' '.repeat(all - before)];
}

/** A row of a table that is too wide: each cell below the name of its column. */
function recordRows(head: Cells, cells: Cells, { columns, paint }: TableRoom): string[] {
  const rows = cells.flatMap((lines, i) => {
    const name = (head[i] ?? []).flat();
    const [first = [], ...others] = lines;
    const labelled = [...name, { text: ': ', styles: [] }, ...first];
    return [labelled, ...others].flatMap((line) => wrapLine(line, columns));
  });
  return [
    ...rows.map((row) => painted(row, paint)),
    paint('dim', '─'.repeat(Math.min(columns, 8))),
  ];
}
