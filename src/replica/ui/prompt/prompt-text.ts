import type { KeyName } from '../../../terminal/keys.ts';
import { graphemes } from '../../../terminal/text-width.ts';

/** What the cursor steps over at once: a character, a line break, or a paste that is shown folded. */
export interface Cell {
  readonly text: string;
  readonly folded: boolean;
}

/** What is being typed. A value: each key makes another one. */
export interface PromptText {
  readonly cells: readonly Cell[];
  /** How many cells are before the cursor. */
  readonly cursor: number;
}

export const EMPTY_PROMPT: PromptText = { cells: [], cursor: 0 };

/** More than this is not read at the prompt, and would make every key slow. */
const LONGEST_UNFOLDED = 1_000;
const MOST_LINES_UNFOLDED = 10;

export function textOf({ cells }: PromptText): string {
  return cells.map(({ text }) => text).join('');
}

export function promptOf(text: string): PromptText {
  return insert(EMPTY_PROMPT, text);
}

export function insert({ cells, cursor }: PromptText, text: string): PromptText {
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
export function edited(prompt: PromptText, name: KeyName): PromptText | null {
  return EDITS[name]?.(prompt) ?? null;
}

/** Enter after a backslash is a line break in place of it. */
export function withoutBackslash(prompt: PromptText): PromptText | null {
  return prompt.cells[prompt.cursor - 1]?.text === '\\' ? without(prompt, prompt.cursor - 1) : null;
}

const EDITS: Partial<Record<KeyName, (prompt: PromptText) => PromptText>> = {
  left: ({ cells, cursor }) => ({ cells, cursor: Math.max(0, cursor - 1) }),
  right: ({ cells, cursor }) => ({ cells, cursor: Math.min(cells.length, cursor + 1) }),
  home: (prompt) => ({ ...prompt, cursor: lineStart(prompt) }),
  end: (prompt) => ({ ...prompt, cursor: lineEnd(prompt) }),
  backspace: (prompt) => without(prompt, prompt.cursor - 1),
  delete: ({ cells, cursor }) => ({ cells: cells.toSpliced(cursor, 1), cursor }),
  'delete-word': (prompt) => without(prompt, wordStart(prompt)),
  'delete-all': () => EMPTY_PROMPT,
  'line-break': (prompt) => insert(prompt, '\n'),
};

/** Takes away what is between a place and the cursor. */
function without({ cells, cursor }: PromptText, from: number): PromptText {
  const start = Math.max(0, from);
  return { cells: cells.toSpliced(start, cursor - start), cursor: start };
}

function lineStart({ cells, cursor }: PromptText): number {
  return cells.findLastIndex(({ text }, i) => i < cursor && text === '\n') + 1;
}

function lineEnd({ cells, cursor }: PromptText): number {
  const end = cells.findIndex(({ text }, i) => i >= cursor && text === '\n');
  return end === -1 ? cells.length : end;
}

function wordStart({ cells, cursor }: PromptText): number {
  const isSpace = (i: number): boolean => /^\s$/.test(cells[i]?.text ?? '');
  let start = cursor;
  while (start > 0 && isSpace(start - 1)) start--;
  while (start > 0 && !isSpace(start - 1)) start--;
  return start;
}

function isLong(text: string): boolean {
  return text.length > LONGEST_UNFOLDED || text.split('\n').length > MOST_LINES_UNFOLDED;
}
