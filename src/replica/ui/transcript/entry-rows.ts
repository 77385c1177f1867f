import type { Paint, Style } from '../../../terminal/paint.ts';
import { plural } from '../../../terminal/plural.ts';
import { clipWidth } from '../../../terminal/text-width.ts';
import type { ToolUseShown } from '../interactive-ui.ts';
import { toolLine } from './tool-line.ts';
import { clipPainted, wrapRows } from './wrap-rows.ts';

export type Notice = 'info' | 'warning' | 'error' | 'success';

/** Something that has been said or done, in the scroll of the conversation. */
export type Entry =
  | { readonly kind: Notice | 'user' | 'answer' | 'thinking'; readonly text: string }
  | { readonly kind: 'block'; readonly lines: readonly string[] }
  | { readonly kind: 'tool-use'; readonly call: ToolUseShown }
  | { readonly kind: 'tool-result'; readonly text: string; readonly isError: boolean };

export interface EntryRoom {
  readonly columns: number;
  readonly verbose: boolean;
  readonly paint: Paint;
  /** Where paths are shown from; null shows them whole. */
  readonly cwd: string | null;
}

/** Nobody reads more of a line, and ink takes seconds for a file that is one line. */
const LONGEST_LINE = 10_000;
/** More than the rows that a fold leaves can hold. */
const LONGEST_FOLDED = 20_000;
const RESULT_ROWS = 4;
const PROMPT_ROWS = 12;

export function entryRows(entry: Entry, room: EntryRoom): readonly string[] {
  switch (entry.kind) {
    case 'block':
      return entry.lines.map((line) => clipPainted(line, LONGEST_LINE));
    case 'user':
      return ['', ...userRows(entry.text, room)];
    case 'answer':
      return ['', ...wrapRows(entry.text.trimEnd(), room.columns)];
    case 'thinking':
      return thinkingRows(entry.text, room);
    case 'tool-use':
      return [`${room.paint('cyan', '●')} ${callLine(entry.call, room)}`];
    case 'tool-result':
      return resultRows(entry, room);
    default:
      return noticeRows(entry.kind, entry.text, room);
  }
}

const STYLES: Readonly<Record<Notice, Style>> = {
  info: 'dim',
  warning: 'yellow',
  error: 'red',
  success: 'green',
};

function noticeRows(kind: Notice, text: string, { columns, paint }: EntryRoom): string[] {
  return wrapRows(text, columns).map((row) => paint(STYLES[kind], row));
}

function userRows(text: string, room: EntryRoom): string[] {
  const rows = folded(text, PROMPT_ROWS, { ...room, columns: room.columns - 2 });
  return rows.map((row, i) => `${i === 0 ? room.paint('cyan', '>') : ' '} ${row}`);
}

function thinkingRows(text: string, { columns, verbose, paint }: EntryRoom): string[] {
  const rows = verbose
    ? wrapRows(text.trim(), columns - 2).map((row) => `  ${row}`)
    : [clipWidth('thinking … (Ctrl-O shows it)', columns)];
  return rows.map((row) => paint('dim', row));
}

function callLine(call: ToolUseShown, { columns, cwd, paint }: EntryRoom): string {
  const line = clipWidth(toolLine(call, cwd), columns - 2);
  const [name = ''] = /^\S*/.exec(line) ?? [];
  return paint('bold', name) + line.slice(name.length);
}

function resultRows(
  { text, isError }: { readonly text: string; readonly isError: boolean },
  room: EntryRoom,
): string[] {
  const rows = folded(text.trimEnd(), RESULT_ROWS, { ...room, columns: room.columns - 4 });
  const style = isError ? 'red' : 'dim';
  return rows.map((row, i) => `  ${i === 0 ? '⎿' : ' '} ${room.paint(style, row)}`);
}

function folded(text: string, most: number, { verbose, columns }: EntryRoom): string[] {
  if (verbose) return wrapRows(text, columns);
  const rows = wrapRows(text.slice(0, LONGEST_FOLDED).toWellFormed(), columns);
  const beyond = text.slice(LONGEST_FOLDED).split('\n').length - 1;
  // A fold that takes as much room as what it hides is none.
  if (rows.length + beyond <= most + 1) return rows;
  const more = `… ${plural(rows.length + beyond - most, 'more line')} (Ctrl-O shows them)`;
  return [...rows.slice(0, most), clipWidth(more, columns)];
}
