import type { MarkedToken, Tokens } from 'marked';
import { displayLines } from '../../index.ts';
import { codeLines } from './code-highlight.ts';
import { blocksOf, endsBlank, LONGEST_PART } from './markdown-grammar.ts';

/** Markdown that is shown by itself. */
export interface MarkdownPart {
  readonly text: string;
  /** Whether it goes on with what stands above it, without a blank row: the next item of a list, more code. */
  readonly joins: boolean;
}

export interface Settled {
  /** Nothing that is yet to come can change how these look. */
  readonly parts: readonly MarkdownPart[];
  /** The end, which can. */
  readonly growing: MarkdownPart;
}

/** Takes from an answer that comes in pieces what is settled. The rest begins so that it can be shown by itself. */
export function settle({ text, joins }: MarkdownPart): Settled {
  const parts: MarkdownPart[] = [];
  let growing: MarkdownPart = { text: safe(text), joins };
  for (;;) {
    const cut = cutOf(growing.text);
    if (cut === null) return { parts, growing };
    if (cut.settled.trim() !== '') parts.push({ text: cut.settled, joins: growing.joins });
    growing = { text: cut.rest, joins: cut.settled.trim() === '' ? growing.joins : cut.joins };
  }
}

/** A whole text in parts of a size that the grammar takes quickly. */
export function partsOf(text: string): readonly MarkdownPart[] {
  const shown = displayLines(text.replaceAll('\r\n', '\n'));
  if (shown.length <= LONGEST_PART) return [{ text: shown, joins: false }];
  const { parts, growing } = settle({ text: shown, joins: false });
  return [...parts, growing];
}

/** What has come of an answer, without a line that could become anything: `-` may underline what is above it. */
export function shownOf(text: string): string {
  return text.replace(UNSURE_END, '').trimEnd();
}

const UNSURE_END = /(?:^|\n)[-=*_`~#>+|: \t]*$/;

/** The second half of what is told in two, such as CR and LF, may be yet to come. */
function safe(text: string): string {
  const [half = ''] = /[\r\ud800-\udbff]$/.exec(text) ?? [];
  const whole = half === '' ? text : text.slice(0, -1);
  return displayLines(whole.replaceAll('\r\n', '\n')) + half;
}

interface Cut {
  readonly settled: string;
  readonly rest: string;
  /** Of the rest. */
  readonly joins: boolean;
}

/** Null where everything can still change. */
function cutOf(text: string): Cut | null {
  const isFull = text.length > LONGEST_PART;
  const head = isFull ? text.slice(0, LONGEST_PART) : text;
  const lines = head.slice(0, head.lastIndexOf('\n') + 1);
  const blocks = lines.trim() === '' ? [] : blocksOf(lines);
  const at = blocks.findLastIndex(({ type }) => type !== 'space');
  const last = blocks[at];
  if (last === undefined) return isFull ? cutAnywhere(text) : null;
  const start = blocks.slice(0, at).reduce((sum, { raw }) => sum + raw.length, 0);
  const isAfterOthers = blocks.slice(0, at).some(({ type }) => type !== 'space');
  if (isFinal(last, lines)) return cutAt(text, lines.length);
  if (isAfterOthers) return cutAt(text, start);
  const cut = cutWithin(last, text.slice(start), isFull);
  return cut === null && isFull ? cutAt(text, lines.length, true) : cut;
}

/** Within a block that may go on. */
function cutWithin(block: MarkedToken, text: string, isFull: boolean): Cut | null {
  if (block.type === 'list' && block.items.length > 1) return cutList(block, text);
  if (isOpenFence(block)) return cutCode(block, text, isFull);
  if (!isFull || block.type !== 'table' || block.rows.length === 0) return null;
  return cutTable(block, text);
}

function cutAt(text: string, at: number, joins = false): Cut {
  return { settled: text.slice(0, at), rest: text.slice(at), joins };
}

/** Of a line that is longer than a part may be. */
function cutAnywhere(text: string): Cut {
  const space = text.lastIndexOf(' ', LONGEST_PART);
  const at = space > LONGEST_PART / 2 ? space + 1 : LONGEST_PART;
  const isPair = /[\ud800-\udbff]/.test(text[at - 1] ?? '');
  return cutAt(text, isPair ? at - 1 : at, true);
}

function isFinal(block: MarkedToken, lines: string): boolean {
  switch (block.type) {
    case 'heading':
    case 'hr':
      return true;
    case 'code':
      return block.codeBlockStyle !== 'indented' && !isOpenFence(block);
    case 'list':
      return false;
    default:
      return endsBlank(lines);
  }
}

/** Items are settled when the next one has begun. */
function cutList({ items, ordered, start }: Tokens.List, text: string): Cut | null {
  const before = items.slice(0, -1);
  const end = before.reduce((sum, { raw }) => sum + raw.length, 0);
  const cut = cutAt(text, end, !endsBlank(before.at(-1)?.raw ?? ''));
  if (!ordered) return cut;
  // Some number all items alike. With more digits the marker would not fit what is indented below it.
  const number = String(Number(start) + before.length);
  const [written = ''] = /\d+/.exec(cut.rest) ?? [];
  return written.length === number.length
    ? { ...cut, rest: cut.rest.replace(written, number) }
    : null;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})[^\n]*\n/;
const LONGEST_OPENING = 200;

function isOpenFence(block: MarkedToken): block is Tokens.Code {
  if (block.type !== 'code') return false;
  const [opening = '', fence] = FENCE.exec(block.raw) ?? [];
  if (fence === undefined || opening.length > LONGEST_OPENING) return false;
  const lastLine = block.raw.slice(opening.length).trimEnd().split('\n').at(-1) ?? '';
  const [, closing = ''] = /^ {0,3}(`{3,}|~{3,})$/.exec(lastLine) ?? [];
  return !closing.startsWith(fence);
}

/** Colours depend on what is above: with fewer lines than these it is not worth a cut. */
const FEWEST_LINES = 16;

/** Each part of a long piece of code has fences of its own. */
function cutCode({ raw, lang = '' }: Tokens.Code, text: string, isFull: boolean): Cut | null {
  const [opening = '', fence = ''] = FENCE.exec(raw) ?? [];
  const lines = raw.slice(opening.length).split('\n').slice(0, -1);
  if (lines.length < FEWEST_LINES && !isFull) return null;
  const shown = codeLines(raw.slice(opening.length), lang).slice(0, -1);
  const whole = lines.slice(0, shown.findLastIndex(({ isOpen }) => !isOpen) + 1);
  const length = whole.reduce((sum, line) => sum + line.length + 1, 0);
  if (length === 0 && !isFull) return null;
  const at = opening.length + (length === 0 ? LONGEST_PART - opening.length : length);
  const settled = text.slice(0, at);
  return {
    settled: `${settled}${settled.endsWith('\n') ? '' : '\n'}${fence}\n`,
    rest: opening + text.slice(at),
    joins: true,
  };
}

/** The next part begins with the names of the columns again. */
function cutTable({ raw }: Tokens.Table, text: string): Cut {
  const [head = '', rule = ''] = raw.split('\n', 2);
  const again = `${head}\n${rule}\n`;
  const cut = cutAt(text, raw.length);
  return again.length > LONGEST_PART / 4 ? cut : { ...cut, rest: again + cut.rest };
}
