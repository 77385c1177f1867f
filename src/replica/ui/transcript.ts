import type { LiveRows } from '../../terminal/interactive/screen.ts';
import type { Style } from '../../terminal/paint.ts';
import { plural } from '../../terminal/phrases.ts';
import { lastRows, wrapRows } from '../../terminal/rows.ts';
import { clipPainted, clipWidth, textWidth } from '../../terminal/text-width.ts';
import type { Todo } from '../commands/command.ts';
import { TODO_TOOLS } from '../tools/known-tools.ts';
import { type EndedCall, endedRows, type ToolRoom, todoRows } from '../tools/tool-rows.ts';
import type { ConversationEntry } from './interactive-ui.ts';
import { type MarkdownRoom, markdownRows } from './markdown.ts';
import { settle } from './markdown-stream.ts';
import type { UIStore } from './ui-state.ts';

/** The rows that have scrolled by. */
export type Scroll = Pick<LiveRows, 'print' | 'restart'>;

/** As many can be drawn again, such as after a resize. */
const MOST_KEPT = 2_000;
const MOST_KEPT_LENGTH = 2_000_000;
const MOST_ADDED = MOST_KEPT_LENGTH / 4;
/** As many are drawn of a conversation that is taken up again. */
const MOST_SHOWN = 100;

/** Everything that was said and done. Prints it above the live rows, and prints a part of it again when asked. */
export class Transcript {
  readonly #store: UIStore;
  readonly #scroll: Scroll;
  readonly #room: Pick<ToolRoom, 'paint' | 'cwd'>;
  #entries: Entry[] = [];
  /** Since the oldest were last forgotten. */
  #added = 0;
  /** Rows that were printed since the screen was begun, counted as far as a screen may be high. */
  #height = 0;

  constructor(store: UIStore, scroll: Scroll, room: Pick<ToolRoom, 'paint' | 'cwd'>) {
    this.#store = store;
    this.#scroll = scroll;
    this.#room = room;
  }

  add(entry: Entry): void {
    this.#entries.push(entry);
    this.#added += lengthOf(entry);
    if (this.#entries.length > MOST_KEPT || this.#added > MOST_ADDED) {
      this.#entries = newestOf(this.#entries);
      this.#added = 0;
    }
    this.#print(this.rowsOf(entry));
    this.#store.update({});
  }

  /** Whether live rows of this height have pushed some of it out of the screen. */
  isPushedOutBy(rows: number): boolean {
    return this.#height + rows > this.#store.get().size.rows;
  }

  /** A conversation in place of everything else. Of a long one the end is printed, and how much is above. */
  show(conversation: readonly ConversationEntry[]): void {
    const above = Math.max(0, conversation.length - MOST_SHOWN);
    const shown = conversation.slice(above).flatMap(entriesOf);
    const note: Entry = { kind: 'info', text: aboveText(conversation.slice(0, above)) };
    const isFirst = this.#entries.length === 0;
    this.#entries = newestOf(above === 0 ? shown : [note, ...shown]);
    this.#added = 0;
    const blocks = this.#entries.map((entry) => this.rowsOf(entry));
    // What was said before the UI began, such as a warning, stays on the screen.
    if (isFirst) this.#print(blocks.flat());
    else this.#begin(blocks);
    this.#store.update({});
  }

  get hasAnswers(): boolean {
    return this.#entries.some(({ kind }) => kind === 'answer');
  }

  rowsOf(entry: Entry): readonly string[] {
    const { size, verbose } = this.#store.get();
    return entryRows(entry, { ...this.#room, columns: size.columns, verbose });
  }

  streamAnswer(piece: string): void {
    this.#endBlock('thinking');
    this.#store.updateSoon({ answer: this.#store.get().answer + piece });
  }

  streamThinking(piece: string): void {
    this.#endBlock('answer');
    this.#store.updateSoon({ thinking: this.#store.get().thinking + piece });
  }

  /** Puts what nothing can change any more into the scroll. What is left of the answer is short. */
  settle(): void {
    const { answer, answerJoins } = this.#store.get();
    if (answer === '') return;
    const { parts, growing } = settle({ text: answer, joins: answerJoins });
    if (parts.length === 0 && growing.text === answer) return;
    for (const { text, joins } of parts) this.add({ kind: 'answer', text, joins });
    this.#store.update({ answer: growing.text, answerJoins: growing.joins });
  }

  /** A prompt may come in the middle of an answer: the unfinished line of the answer goes on below it. */
  addPrompt(text: string): void {
    const { answer } = this.#store.get();
    const lastLine = answer.slice(answer.lastIndexOf('\n') + 1);
    this.#store.update({ answer: answer.slice(0, answer.length - lastLine.length) });
    this.end();
    this.add({ kind: 'user', text });
    this.#store.update({ answer: lastLine });
  }

  /** The answer or the thinking is complete. */
  end(): void {
    this.#endBlock('thinking');
    this.#endBlock('answer');
  }

  /** Draws the last of it again from the top of the screen: as much as fits into so many rows. */
  replay(room: number): void {
    const { columns } = this.#store.get().size;
    const blocks: (readonly string[])[] = [];
    let left = room;
    for (const entry of this.#entries.toReversed()) {
      const rows = this.rowsOf(entry);
      const fitting = lastThatFit(rows, left, columns);
      if (fitting.length > 0) blocks.unshift(fitting);
      left -= heightOf(fitting, columns);
      if (fitting.length < rows.length || left <= 0) break;
    }
    this.#begin(blocks);
  }

  /** As `replay`, with everything since the last prompt, however long: to be read by scrolling. */
  replayTurn(): void {
    const from = this.#entries.findLastIndex(({ kind }) => kind === 'user');
    this.#begin(this.#entries.slice(Math.max(0, from)).map((entry) => this.rowsOf(entry)));
  }

  clear(): void {
    this.#entries = [];
    this.#begin([]);
  }

  #begin(blocks: readonly (readonly string[])[]): void {
    this.#scroll.restart();
    this.#height = 0;
    this.#print(blocks.flat());
    this.#store.update({});
  }

  #print(rows: readonly string[]): void {
    this.#scroll.print(rows);
    const { rows: most, columns } = this.#store.get().size;
    if (this.#height <= most) this.#height += heightOf(rows, columns);
  }

  #endBlock(kind: 'thinking' | 'answer'): void {
    if (kind === 'answer') this.settle();
    const { [kind]: text, answerJoins: joins } = this.#store.get();
    if (text === '') return;
    this.#store.update({ [kind]: '', answerJoins: false });
    if (text.trim() === '') return;
    this.add(kind === 'answer' ? { kind, text, joins } : { kind, text });
  }
}

/** As many of the last as are worth their memory. */
function newestOf(entries: readonly Entry[]): Entry[] {
  let length = 0;
  const beyond = entries.findLastIndex((entry) => {
    length += lengthOf(entry);
    return length > MOST_KEPT_LENGTH;
  });
  return entries.slice(Math.max(beyond + 1, entries.length - (MOST_KEPT * 3) / 4));
}

function lengthOf(entry: Entry): number {
  return JSON.stringify(entry).length;
}

function lastThatFit(rows: readonly string[], room: number, columns: number): readonly string[] {
  let height = 0;
  const beyond = rows.findLastIndex((row) => {
    height += heightOf([row], columns);
    return height > room;
  });
  return rows.slice(beyond + 1);
}

/** Rows of a block are not wrapped and may be wider than the terminal. */
function heightOf(rows: readonly string[], columns: number): number {
  return rows.reduce((sum, row) => sum + Math.max(1, Math.ceil(textWidth(row) / columns)), 0);
}

/** Of the list of things to do only what it is now is worth showing, not each step to it. */
function entriesOf(entry: ConversationEntry): Entry[] {
  if (entry.kind !== 'tool') return [entry];
  const { call, result } = entry;
  return TODO_TOOLS.has(call.name) ? [] : [{ kind: 'tool', ended: { call, result, elapsedMs: 0 } }];
}

function aboveText(above: readonly ConversationEntry[]): string {
  const prompts = above.filter(({ kind }) => kind === 'user').length;
  const said = prompts === 0 ? '' : `, ${plural(prompts, 'prompt')} among them`;
  return `… ${plural(above.length, 'earlier entry', 'earlier entries')}${said}, not drawn here; the agent knows them`;
}

type Notice = 'info' | 'warning' | 'error' | 'success';

/** Something that has been said or done, in the scroll of the conversation. */
export type Entry =
  | { readonly kind: Notice | 'user' | 'thinking'; readonly text: string }
  | { readonly kind: 'answer'; readonly text: string; readonly joins?: boolean }
  | { readonly kind: 'block'; readonly lines: readonly string[] }
  | { readonly kind: 'tool'; readonly ended: EndedCall }
  | { readonly kind: 'todos'; readonly todos: readonly Todo[] };

/** Nobody reads more of a line. */
const LONGEST_LINE = 10_000;
/** More than the rows that a fold leaves can hold. */
const LONGEST_FOLDED = 20_000;
const PROMPT_ROWS = 12;

export function entryRows(entry: Entry, room: ToolRoom): readonly string[] {
  switch (entry.kind) {
    case 'block':
      return entry.lines.map((line) => clipPainted(line, LONGEST_LINE));
    case 'user':
      return ['', ...userRows(entry.text, room)];
    case 'answer':
      return answerRows(entry.text, entry.joins === true, room);
    case 'thinking':
      return thinkingRows(entry.text.trim(), room);
    case 'tool':
      return endedRows(entry.ended, room);
    case 'todos':
      return todoRows(entry.todos, room.columns, room.paint);
    default: {
      const style = STYLES[entry.kind];
      return wrapRows(entry.text, room.columns).map((row) => room.paint(style, row));
    }
  }
}

const STYLES: Readonly<Record<Notice, Style>> = {
  info: 'dim',
  warning: 'yellow',
  error: 'red',
  success: 'green',
};

/** Apart from what is above it, unless it goes on with that. */
export function answerRows(text: string, joins: boolean, room: MarkdownRoom): string[] {
  const rows = markdownRows(text, room);
  return joins || rows.length === 0 ? rows : ['', ...rows];
}

function userRows(text: string, room: ToolRoom): string[] {
  const rows = folded(text, PROMPT_ROWS, { ...room, columns: room.columns - 2 });
  return rows.map((row, i) => `${i === 0 ? room.paint('cyan', '>') : ' '} ${row}`);
}

/** The last rows, where `most` says how many. */
export function thinkingRows(
  text: string,
  { columns, verbose, paint }: Pick<ToolRoom, 'columns' | 'verbose' | 'paint'>,
  most: number = Number.POSITIVE_INFINITY,
): string[] {
  const rows = verbose
    ? lastRows(text, columns - 2, most).map((row) => `  ${row}`)
    : [clipWidth('thinking … (Ctrl-O shows it)', columns)];
  return rows.map((row) => paint('dim', row));
}

function folded(text: string, most: number, { verbose, columns }: ToolRoom): string[] {
  if (verbose) return wrapRows(text, columns);
  const rows = wrapRows(text.slice(0, LONGEST_FOLDED).toWellFormed(), columns);
  const beyond = text.slice(LONGEST_FOLDED).split('\n').length - 1;
  // Folding a single line would not save any room.
  if (rows.length + beyond <= most + 1) return rows;
  const more = `… ${plural(rows.length + beyond - most, 'more line')} (Ctrl-O shows them)`;
  return [...rows.slice(0, most), clipWidth(more, columns)];
}
