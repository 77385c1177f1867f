import type { MarkedToken, Tokens } from 'marked';
import type { Paint, Style } from '../../terminal/paint.ts';
import { textWidth, widestOf } from '../../terminal/text-width.ts';
import { codeLines } from './code-highlight.ts';
import { blocksOf, endsBlank, known } from './markdown-grammar.ts';
import { partsOf } from './markdown-stream.ts';
import {
  ENTITIES,
  linesOf,
  painted,
  type Run,
  type StyledLine,
  textOf,
  wrapLine,
} from './styled-text.ts';

export interface MarkdownRoom {
  readonly columns: number;
  readonly paint: Paint;
}

/** A text from outside, read as Markdown, in rows that fit and are safe to show. */
export function markdownRows(text: string, room: MarkdownRoom): string[] {
  const rows: string[] = [];
  for (const part of partsOf(text)) {
    const shown = rowsOfBlocks(blocksOf(part.text), { ...room, depth: 0 });
    if (shown.length === 0) continue;
    if (rows.length > 0 && !part.joins) rows.push('');
    for (const row of shown) rows.push(row);
  }
  return rows;
}

interface BlockRoom extends MarkdownRoom {
  /** How many lists and quotes a block is in. */
  readonly depth: number;
}

/** What is deeper is shown as it was written. */
const DEEPEST = 12;

/** With a blank row between two blocks. */
function rowsOfBlocks(blocks: readonly MarkedToken[], room: BlockRoom): string[] {
  const shown = blocks.map((block) => rowsOf(block, room)).filter(({ length }) => length > 0);
  return shown.flatMap((rows, i) => (i === 0 ? rows : ['', ...rows]));
}

function rowsOf(block: MarkedToken, room: BlockRoom): string[] {
  if (room.depth > DEEPEST) return proseRows([{ text: block.raw.trimEnd(), styles: [] }], room);
  switch (block.type) {
    case 'space':
      return [];
    case 'heading':
      return proseRows(runsOf(known(block.tokens), HEADINGS[block.depth - 1] ?? ['bold']), room);
    case 'hr':
      return [room.paint('dim', '─'.repeat(Math.min(room.columns, WIDEST_RULE)))];
    case 'code':
      return codeRows(block, room);
    case 'blockquote':
      return within(QUOTE, room, (inner) => rowsOfBlocks(known(block.tokens), inner), 'dim');
    case 'list':
      return listRows(block, room);
    case 'table':
      return tableRows(block, room);
    case 'html':
      return proseRows([{ text: block.raw.trimEnd(), styles: ['dim'] }], room);
    case 'paragraph':
      return proseRows(runsOf(known(block.tokens)), room);
    default:
      return proseRows(runsOf([block]), room);
  }
}

const HEADINGS: readonly (readonly Style[])[] = [
  ['bold', 'underline'],
  ['bold'],
  ['bold', 'italic'],
];
const WIDEST_RULE = 40;
const QUOTE = '│ ';
const CODE_MARGIN = '  ';

function proseRows(runs: readonly Run[], { columns, paint }: BlockRoom): string[] {
  return linesOf(runs)
    .flatMap((line) => wrapLine(line, columns))
    .map((row) => painted(row, paint));
}

function codeRows({ text, lang = '', codeBlockStyle }: Tokens.Code, room: BlockRoom): string[] {
  // Blank lines below code without fences are not part of it.
  const code = codeBlockStyle === 'indented' ? text.trimEnd() : text;
  if (code === '') return [];
  return within(CODE_MARGIN, room, ({ columns, paint }) =>
    codeLines(code, lang)
      .flatMap(({ runs }) => linesOf(runs).flatMap((line) => wrapLine(line, columns)))
      .map((row) => painted(row, paint)),
  );
}

const BULLETS = ['•', '◦', '▪'];

function listRows({ items, ordered, start }: Tokens.List, room: BlockRoom): string[] {
  return items.flatMap((item, i) => {
    const bullet = ordered ? `${Number(start) + i}.` : (BULLETS[room.depth % BULLETS.length] ?? '');
    const box = item.checked ? '[x]' : '[ ]';
    const rows = within(
      `${item.task ? box : bullet} `,
      room,
      (inner) => itemRows(known(item.tokens), inner),
      'cyan',
    );
    // A blank line in the source is one on the screen.
    return i < items.length - 1 && endsBlank(item.raw) ? [...rows, ''] : rows;
  });
}

/** A list in an item follows its text without a blank row, unless there is a blank line. */
function itemRows(blocks: readonly MarkedToken[], room: BlockRoom): string[] {
  const rows: string[] = [];
  let isApart = false;
  // The box is shown in place of the bullet.
  for (const block of blocks.filter(({ type }) => type !== 'checkbox')) {
    const shown = rowsOf(block, room);
    if (rows.length > 0 && isApart) rows.push('');
    for (const row of shown) rows.push(row);
    isApart = shown.length === 0 ? rows.length > 0 : endsBlank(block.raw);
  }
  // A marker without a text.
  return rows.length === 0 ? [''] : rows;
}

const LEAST_INNER = 12;

/** Rows beside a sign: a bullet stands before the first alone, a quote's line before all of them. */
function within(
  sign: string,
  room: BlockRoom,
  rowsIn: (room: BlockRoom) => readonly string[],
  style?: Style,
): string[] {
  const width = textWidth(sign);
  const columns = room.columns - width;
  // Where there is no room for it, what is within still has its own.
  if (columns < LEAST_INNER) return [...rowsIn({ ...room, depth: room.depth + 1 })];
  const first = style === undefined ? sign : room.paint(style, sign);
  const others = sign === QUOTE ? first : ' '.repeat(width);
  return rowsIn({ ...room, columns, depth: room.depth + 1 }).map((row, i) => {
    const before = i === 0 ? first : others;
    return row === '' && before.trim() === '' ? '' : before + row;
  });
}

/** Deeper emphasis looks like what it is in. */
const DEEPEST_EMPHASIS = 16;

/** What stands in a line, with its looks. The texts of runs may hold newlines. */
function runsOf(tokens: readonly MarkedToken[], styles: readonly Style[] = []): readonly Run[] {
  if (styles.length > DEEPEST_EMPHASIS) return tokens.map(({ raw }) => ({ text: raw, styles }));
  return tokens.flatMap((token) => runsOfToken(token, styles));
}

function runsOfToken(token: MarkedToken, styles: readonly Style[]): readonly Run[] {
  const inner = (style: Style, tokens: readonly MarkedToken[]): readonly Run[] =>
    runsOf(tokens, [...styles, style]);
  switch (token.type) {
    case 'strong':
      return inner('bold', known(token.tokens));
    case 'em':
      return inner('italic', known(token.tokens));
    case 'del':
      return inner('strikethrough', known(token.tokens));
    case 'codespan':
      return [{ text: token.text, styles: [...styles, 'cyan'] }];
    case 'br':
      return [{ text: '\n', styles }];
    case 'checkbox':
      return [];
    case 'link': {
      const label = inner('underline', known(token.tokens));
      return [...label, ...addressOf(token.text, token.href, styles)];
    }
    case 'image':
      return [
        { text: token.text === '' ? 'image' : token.text, styles: [...styles, 'underline'] },
        ...addressOf(token.text, token.href, styles),
      ];
    case 'html':
      return [{ text: BREAK.test(token.raw) ? '\n' : token.raw, styles }];
    case 'text':
      if (token.tokens !== undefined) return runsOf(known(token.tokens), styles);
      return [{ text: decoded(token.text), styles }];
    case 'escape':
      return [{ text: decoded(token.text), styles }];
    default:
      return [{ text: token.raw, styles }];
  }
}

/** A link says where it goes, unless its text does. */
function addressOf(text: string, href: string, styles: readonly Style[]): readonly Run[] {
  const isSaid = ['', 'http://', 'https://', 'mailto:'].some((scheme) => href === scheme + text);
  return isSaid || href === '' ? [] : [{ text: ` (${href})`, styles: [...styles, 'dim'] }];
}

const BREAK = /^<br\s*\/?>$/i;
const ENTITY = /&(amp|lt|gt|quot|nbsp|#39);/g;

function decoded(text: string): string {
  return text.replace(ENTITY, (whole, name: string) => ENTITIES[name] ?? whole);
}

const COLUMN_GAP = ' │ ';
/** With less room, columns would be unreadable: each row is shown as a list instead. */
const LEAST_COLUMN = 8;

/** A table in columns that fit, cells wrapped where they must be. */
function tableRows({ header, rows, align }: Tokens.Table, room: MarkdownRoom): string[] {
  const head = header.map((cell) => cellLines(cell, true));
  const body = rows.map((cells) => cells.map((cell) => cellLines(cell, false)));
  const natural = head.map((lines, i) =>
    Math.max(1, ...[lines, ...body.map((cells) => cells[i] ?? [])].map(widthOf)),
  );
  const free = room.columns - COLUMN_GAP.length * (natural.length - 1);
  const widest = widestThatFits(natural, free);
  if (widest < LEAST_COLUMN && natural.some((width) => width > widest)) {
    const records = body.length === 0 ? [head.map(() => [])] : body;
    return records.flatMap((cells) => recordRows(head, cells, room));
  }
  const widths = natural.map((width) => Math.min(width, widest));
  const drawn = (cells: Cells): string[] => tableRow(cells, { widths, align, paint: room.paint });
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

function tableRow(cells: Cells, { widths, align, paint }: ColumnLayout): string[] {
  const wrapped = widths.map((width, i) =>
    (cells[i] ?? []).flatMap((line) => wrapLine(line, width)),
  );
  const height = wrapped.reduce((most, { length }) => Math.max(most, length), 1);
  const gap = paint('dim', COLUMN_GAP);
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
function recordRows(head: Cells, cells: Cells, { columns, paint }: MarkdownRoom): string[] {
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
