import { graphemes } from '../text-width.ts';
import type { KeyName } from './keys.ts';

/** What the cursor steps over at once: a character, a line break, or a paste that is shown folded. */
export interface Cell {
  readonly text: string;
  readonly folded: boolean;
}

/** A text, and where in it the cursor is. */
interface Place {
  readonly cells: readonly Cell[];
  /** How many cells are before the cursor. */
  readonly cursor: number;
}

/** What is being typed. A value: each key makes another one. */
export interface TextField extends Place {
  /** What undo goes back to, newest last. */
  readonly past: readonly Place[];
  /** What was cut, newest last, for a yank. */
  readonly cuts: readonly (readonly Cell[])[];
  /** What the last key did. Keys that follow each other may be one step to undo, or one cut. */
  readonly last: 'moved' | 'typed' | 'erased' | 'cut' | 'yanked' | 'replaced';
  /** Which of the cuts was yanked last. */
  readonly yanked: number;
}

export const EMPTY_FIELD: TextField = {
  cells: [],
  cursor: 0,
  past: [],
  cuts: [],
  last: 'moved',
  yanked: 0,
};

/** Nobody reads more than this while typing, and it would make every key slow. */
const LONGEST_UNFOLDED = 1_000;
const MOST_LINES_UNFOLDED = 10;
/** A text that the person goes on with, such as one from the history, is shown whole up to here. */
const LONGEST_RECALLED = 5_000;
const MOST_PAST = 100;
const MOST_CUTS = 20;

export function textOf({ cells }: Pick<Place, 'cells'>): string {
  return cells.map(({ text }) => text).join('');
}

/** Another text, such as one from the history. What was cut before can still be yanked. */
export function recalled({ cuts }: TextField, text: string): TextField {
  const cells = recalledCells(text);
  return { ...EMPTY_FIELD, cells, cursor: cells.length, cuts };
}

/** Another text in place of this one, which undo brings back. Pastes that are still in it stay folded. */
export function replaced(field: TextField, text: string): TextField {
  const folds = field.cells.filter((cell) => cell.folded);
  const cells = recalledCells(text, folds);
  return changed(field, { cells, cursor: cells.length }, 'replaced');
}

/** A text in place of what is between a cell and the cursor. Undo brings that back. */
export function completedFrom(field: TextField, from: number, text: string): TextField {
  const { cells, cursor } = field;
  const before = joined(cells.slice(0, from), cellsOf(text)).cells;
  return changed(
    field,
    { ...joined(before, cells.slice(cursor)), cursor: before.length },
    'replaced',
  );
}

/** What a person typed or pasted, where the cursor is. */
export function insert(field: TextField, text: string, isPasted = false): TextField {
  const { cells, cursor } = field;
  const before = cells.slice(0, cursor);
  const after = cells.slice(cursor);
  const last = before.at(-1);
  if (isLong(text)) {
    // A terminal that does not mark pastes sends a long one in pieces.
    const isPiece = last?.folded === true && !isPasted;
    const whole = isPiece ? (before.pop()?.text ?? '') + text : text;
    const folded = [...before, { text: whole, folded: true }];
    return changed(field, joined(folded, after), 'replaced');
  }
  const inserted = joined(joined(before, cellsOf(text)).cells, after);
  const beginsWord = /^\s$/.test(last?.text ?? '') && !/^\s/.test(text);
  const goesOn = field.last === 'typed' && !isPasted && !beginsWord;
  return goesOn
    ? { ...field, ...inserted }
    : changed(field, inserted, isPasted ? 'replaced' : 'typed');
}

/** What a key does to the text; null for keys that do nothing to it by themselves. */
export function edited(field: TextField, name: KeyName): TextField | null {
  return EDITS[name]?.(field) ?? null;
}

export function movedTo(field: TextField, cursor: number): TextField {
  return { ...field, cursor, last: 'moved' };
}

const EDITS: Partial<Record<KeyName, (field: TextField) => TextField>> = {
  left: (field) => movedTo(field, Math.max(0, field.cursor - 1)),
  right: (field) => movedTo(field, Math.min(field.cells.length, field.cursor + 1)),
  'word-left': (field) => movedTo(field, wordStart(field, isWord)),
  'word-right': (field) => movedTo(field, wordEnd(field)),
  home: (field) => movedTo(field, lineStart(field)),
  end: (field) => movedTo(field, lineEnd(field)),
  'line-start': (field) => movedTo(field, lineStart(field)),
  'line-end': (field) => movedTo(field, lineEnd(field)),
  backspace: (field) => erased(field, field.cursor - 1, field.cursor),
  delete: (field) => erased(field, field.cursor, field.cursor + 1),
  'cut-blank-word': (field) => cut(field, wordStart(field, isNotBlank)),
  'cut-word-left': (field) => cut(field, wordStart(field, isWord)),
  'cut-word-right': (field) => cut(field, wordEnd(field)),
  // At the edge of a line its break is cut: pressed again and again, these keys take line after line.
  'cut-line-left': (field) =>
    cut(field, lineStart(field) === field.cursor ? field.cursor - 1 : lineStart(field)),
  'cut-line-right': (field) =>
    cut(field, lineEnd(field) === field.cursor ? field.cursor + 1 : lineEnd(field)),
  yank: (field) => yanked(field, field.cuts.length - 1),
  'yank-older': yankedOlder,
  undo: undone,
  'line-break': (field) => insert(movedTo(field, field.cursor), '\n'),
};

/** Puts the text before on record, so that undo finds it. */
function changed(field: TextField, place: Place, last: TextField['last']): TextField {
  const { cells, cursor } = field;
  return { ...field, ...place, past: [...field.past, { cells, cursor }].slice(-MOST_PAST), last };
}

function undone(field: TextField): TextField {
  const place = field.past.at(-1);
  if (place === undefined) return field;
  return { ...field, ...place, past: field.past.slice(0, -1), last: 'moved' };
}

function erased(field: TextField, from: number, to: number): TextField {
  const { cells } = field;
  if (from < 0 || to > cells.length) return { ...field, last: 'moved' };
  const place = joined(cells.slice(0, from), cells.slice(to));
  return field.last === 'erased' ? { ...field, ...place } : changed(field, place, 'erased');
}

/** Takes away what is between the cursor and a place, for a yank. Cuts that follow each other are one. */
function cut(field: TextField, place: number): TextField {
  const { cells, cursor, cuts } = field;
  const [from, to] = [Math.max(0, Math.min(place, cursor)), Math.max(place, cursor)];
  const taken = cells.slice(from, to);
  if (taken.length === 0) return field;
  const goesOn = field.last === 'cut' ? (cuts.at(-1) ?? []) : null;
  const whole = from < cursor ? [...taken, ...(goesOn ?? [])] : [...(goesOn ?? []), ...taken];
  const kept = goesOn === null ? cuts : cuts.slice(0, -1);
  const rest = joined(cells.slice(0, from), cells.slice(to));
  return { ...changed(field, rest, 'cut'), cuts: [...kept, whole].slice(-MOST_CUTS) };
}

function yanked(field: TextField, index: number): TextField {
  const { cells, cursor, cuts } = field;
  const taken = cuts[index];
  if (taken === undefined) return field;
  const before = joined(cells.slice(0, cursor), taken).cells;
  const place = joined(before, cells.slice(cursor));
  return { ...changed(field, place, 'yanked'), yanked: index };
}

/** In place of what was just yanked, what was cut before that; after the oldest comes the newest. */
function yankedOlder(field: TextField): TextField {
  if (field.last !== 'yanked') return field;
  const older = field.yanked - 1;
  return yanked(undone(field), older < 0 ? field.cuts.length - 1 : older);
}

/**
 * Two texts beside each other, with the cursor between them. Where they meet, cells may become one
 * character: a letter and an accent, the two halves of a flag.
 */
function joined(before: readonly Cell[], after: readonly Cell[]): Place {
  if (areApart(before.at(-1), after[0])) {
    return { cells: [...before, ...after], cursor: before.length };
  }
  const from = before.findLastIndex(isBreak) + 1;
  const end = after.findIndex(isBreak);
  const to = end === -1 ? after.length : end;
  const head = textOf({ cells: before.slice(from) });
  const middle = cellsOf(head + textOf({ cells: after.slice(0, to) }));
  let cursor = 0;
  for (let length = 0; length < head.length; cursor += 1)
    length += middle[cursor]?.text.length ?? 1;
  return {
    cells: [...before.slice(0, from), ...middle, ...after.slice(to)],
    cursor: from + cursor,
  };
}

function areApart(left: Cell | undefined, right: Cell | undefined): boolean {
  if (left === undefined || right === undefined || isBreak(left) || isBreak(right)) return true;
  return /^[ -~]$/.test(left.text) && /^[ -~]$/.test(right.text);
}

function isBreak({ text, folded }: Cell): boolean {
  return folded || text === '\n';
}

function cellsOf(text: string): Cell[] {
  const lines = text.replace(/\r\n?/g, '\n');
  return graphemes(lines).map((grapheme) => ({ text: grapheme, folded: false }));
}

/** `folds`: pastes that may be in the text. */
function recalledCells(text: string, folds: readonly Cell[] = []): Cell[] {
  const [fold, ...others] = folds;
  if (fold === undefined) {
    return text.length > LONGEST_RECALLED ? [{ text, folded: true }] : cellsOf(text);
  }
  const at = text.indexOf(fold.text);
  if (at === -1) return recalledCells(text, others);
  const rest = text.slice(at + fold.text.length);
  return [...recalledCells(text.slice(0, at), others), fold, ...recalledCells(rest, others)];
}

function isLong(text: string): boolean {
  return text.length > LONGEST_UNFOLDED || text.split('\n').length > MOST_LINES_UNFOLDED;
}

function lineStart({ cells, cursor }: Place): number {
  return cells.findLastIndex(({ text }, i) => i < cursor && text === '\n') + 1;
}

function lineEnd({ cells, cursor }: Place): number {
  const end = cells.findIndex(({ text }, i) => i >= cursor && text === '\n');
  return end === -1 ? cells.length : end;
}

type CellTest = (cell: Cell | undefined) => boolean;

const isWord: CellTest = (cell) => cell?.folded === true || /[\p{L}\p{N}_]/u.test(cell?.text ?? '');
const isNotBlank: CellTest = (cell) => cell?.folded === true || !/^\s*$/.test(cell?.text ?? '');

function wordStart({ cells, cursor }: Place, isOfWord: CellTest): number {
  let start = cursor;
  while (start > 0 && !isOfWord(cells[start - 1])) start--;
  while (start > 0 && isOfWord(cells[start - 1])) start--;
  return start;
}

function wordEnd({ cells, cursor }: Place): number {
  let end = cursor;
  while (end < cells.length && !isWord(cells[end])) end++;
  while (end < cells.length && isWord(cells[end])) end++;
  return end;
}
