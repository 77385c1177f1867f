import type { Size } from './layout.ts';
import type { ScreenRow } from './view.ts';

// A screen of its own, no cursor, pastes in brackets, and no line that flows into the next.
const ENTER = '\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[?7l\x1b[2J';
const LEAVE = '\x1b[?7h\x1b[?2004l\x1b[?25h\x1b[?1049l';
const ERASE_ROW = '\x1b[2K';

/** The terminal while the picker has it: what is changed about it here is changed back here. */
export class Screen {
  readonly #input: NodeJS.ReadStream;
  readonly #output: NodeJS.WriteStream;
  #isEntered = false;
  #drawn: string[] = [];

  constructor(input: NodeJS.ReadStream, output: NodeJS.WriteStream) {
    this.#input = input;
    this.#output = output;
  }

  get size(): Size {
    return { columns: this.#output.columns || 80, rows: this.#output.rows || 24 };
  }

  /** Idempotent, as `leave` is. */
  enter(): void {
    if (this.#isEntered) return;
    this.#isEntered = true;
    this.#drawn = [];
    // Whatever goes wrong elsewhere, such as a bug, the terminal is given back.
    process.on('exit', this.leave);
    this.#input.setRawMode(true);
    this.#output.write(ENTER);
  }

  readonly leave = (): void => {
    if (!this.#isEntered) return;
    this.#isEntered = false;
    process.off('exit', this.leave);
    this.#output.write(LEAVE);
    try {
      this.#input.setRawMode(false);
    } catch {
      // The terminal is gone, and its modes with it.
    }
  };

  /** Draws the rows that differ from those on the screen. */
  draw(rows: readonly ScreenRow[]): void {
    if (!this.#isEntered) return;
    const texts = rows.map(rowText);
    const changed = texts.flatMap((text, i) => (text === this.#drawn[i] ? [] : [at(i) + text]));
    this.#drawn = texts;
    if (changed.length > 0) this.#output.write(changed.join(''));
  }

  /** What is on the screen is not to be relied on any more. */
  forget(): void {
    if (this.#isEntered && this.#drawn.length > 0) this.#output.write('\x1b[2J');
    this.#drawn = [];
  }
}

function at(row: number): string {
  return `\x1b[${row + 1};1H${ERASE_ROW}`;
}

function rowText({ left, right }: ScreenRow): string {
  return right === null ? left : `${left}\x1b[${right.column + 1}G${right.text}`;
}
