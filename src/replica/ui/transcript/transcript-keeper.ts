import { stripVTControlCharacters } from 'node:util';
import type { Paint } from '../../../terminal/paint.ts';
import { textWidth } from '../../../terminal/text-width.ts';
import type { UIStore } from '../ui-store.ts';
import { type Entry, type EntryRoom, entryRows } from './entry-rows.ts';

/** As many can be drawn again, such as after a resize. */
const MOST_KEPT = 300;

/** What was said and done: puts it into the scroll, and a part of it there again when asked. */
export class TranscriptKeeper {
  readonly #store: UIStore;
  readonly #room: Pick<EntryRoom, 'paint' | 'cwd'>;
  #entries: Entry[] = [];

  constructor(store: UIStore, paint: Paint, cwd: string | null) {
    this.#store = store;
    this.#room = { paint, cwd };
  }

  add(entry: Entry): void {
    this.#entries = [...this.#entries.slice(1 - MOST_KEPT), entry];
    const { scrolled } = this.#store.get();
    const blocks = [...scrolled.blocks, this.rowsOf(entry)];
    this.#store.update({ scrolled: { ...scrolled, blocks } });
  }

  rowsOf(entry: Entry): readonly string[] {
    const { size, verbose } = this.#store.get();
    return entryRows(entry, { ...this.#room, columns: size.columns, verbose });
  }

  streamAnswer(piece: string): void {
    this.#endThinking();
    this.#store.updateSoon({ answer: this.#store.get().answer + piece });
  }

  streamThinking(piece: string): void {
    this.#endText();
    this.#store.updateSoon({ thinking: this.#store.get().thinking + piece });
  }

  /** A prompt that may come in the middle of an answer, whose last line goes on below it. */
  addPrompt(text: string): void {
    const { answer } = this.#store.get();
    const lastLine = answer.slice(answer.lastIndexOf('\n') + 1);
    this.#store.update({ answer: answer.slice(0, answer.length - lastLine.length) });
    this.end();
    this.add({ kind: 'user', text });
    this.#store.update({ answer: lastLine });
  }

  /** What was coming is whole. */
  end(): void {
    this.#endThinking();
    this.#endText();
  }

  /** The last of it as a transcript of its own: as much as fits into so many rows. */
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
    const from = Math.max(
      0,
      this.#entries.findLastIndex(({ kind }) => kind === 'user'),
    );
    this.#begin(this.#entries.slice(from).map((entry) => this.rowsOf(entry)));
  }

  clear(): void {
    this.#entries = [];
    this.#begin([]);
  }

  #begin(blocks: readonly (readonly string[])[]): void {
    const { id } = this.#store.get().scrolled;
    this.#store.update({ scrolled: { id: id + 1, blocks } });
  }

  #endThinking(): void {
    const { thinking } = this.#store.get();
    if (thinking === '') return;
    this.#store.update({ thinking: '' });
    if (thinking.trim() !== '') this.add({ kind: 'thinking', text: thinking });
  }

  #endText(): void {
    const { answer } = this.#store.get();
    if (answer === '') return;
    this.#store.update({ answer: '' });
    if (answer.trim() !== '') this.add({ kind: 'answer', text: answer });
  }
}

function lastThatFit(rows: readonly string[], room: number, columns: number): readonly string[] {
  let height = 0;
  const beyond = rows.findLastIndex((row) => {
    height += heightOf([row], columns);
    return height > room;
  });
  return rows.slice(beyond + 1);
}

/** Rows that came as they are may be longer than the terminal is wide. */
function heightOf(rows: readonly string[], columns: number): number {
  const widths = rows.map((row) => textWidth(stripVTControlCharacters(row)));
  return widths.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
}
