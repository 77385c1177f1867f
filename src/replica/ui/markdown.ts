import type { MarkedToken, Tokens } from 'marked';
import type { Paint, Style } from '../../terminal/paint.ts';
import { textWidth } from '../../terminal/text-width.ts';
import { codeLines } from './code-highlight.ts';
import { blocksOf, endsBlank, known } from './markdown-grammar.ts';
import { runsOf } from './markdown-inline.ts';
import { partsOf } from './markdown-stream.ts';
import { tableRows } from './markdown-table.ts';
import { linesOf, painted, type Run, wrapLine } from './styled-text.ts';

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
