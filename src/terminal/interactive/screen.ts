import { clipPainted, textWidth } from '../text-width.ts';
import { type KeyEvents, type KeyOptions, KeyReader } from './keys.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** What is written to the terminal when a program takes it, and when the program gives it back. */
export interface TerminalModes {
  readonly enter: string;
  readonly leave: string;
}

const CURSOR_ON = '\x1b[?25h';
const CURSOR_OFF = '\x1b[?25l';
const ERASE_BELOW = '\x1b[J';
const ERASE_ROW = '\x1b[2K';
const ERASE_SCREEN = '\x1b[2J';
const HOME = '\x1b[H';
// A terminal that knows these shows everything between them at once, without flicker.
const BEGIN_FRAME = '\x1b[?2026h';
const END_FRAME = '\x1b[?2026l';

/** A screen of its own, no cursor, pastes in brackets, and no line that flows into the next. */
export const FULL_SCREEN: TerminalModes = {
  enter: `\x1b[?1049h${CURSOR_OFF}\x1b[?2004h\x1b[?7l${ERASE_SCREEN}`,
  leave: `\x1b[?7h\x1b[?2004l${CURSOR_ON}\x1b[?1049l`,
};

/** The ordinary screen, below what has scrolled by; pastes in brackets. */
export const IN_THE_SCROLL: TerminalModes = {
  enter: '\x1b[?2004h',
  leave: `\x1b[?2004l${CURSOR_ON}`,
};

/**
 * Asks which keys the terminal can tell apart (kitty's protocol). Only one that can answers (`tells-keys`), and
 * only that one is then asked to: Shift-Enter is Enter to others.
 */
const ASK_FOR_KEYS = '\x1b[?u';
const TELL_KEYS = '\x1b[>1u';
const TELL_KEYS_NO_MORE = '\x1b[<u';

export interface TerminalEvents extends KeyEvents {
  /** The size changed, or another program had the terminal: everything is to be drawn anew. */
  readonly onRedraw: () => void;
}

export interface HeldTerminalOptions extends KeyOptions {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly modes: TerminalModes;
}

/** If the process has not been stopped by then, it will not be. */
const STOPPED_BY_MS = 200;

/** The terminal while a program has it. Every mode that is changed here is changed back here. */
export class HeldTerminal {
  readonly #stdin: NodeJS.ReadStream;
  readonly #stdout: NodeJS.WriteStream;
  readonly #modes: TerminalModes;
  readonly #events: TerminalEvents;
  readonly #reader: KeyReader;
  #isTaken = false;
  #isEntered = false;
  #isLent = false;
  #tellsKeys = false;
  #resumeTimer: NodeJS.Timeout | undefined;

  constructor(options: HeldTerminalOptions, events: TerminalEvents) {
    this.#stdin = options.stdin;
    this.#stdout = options.stdout;
    this.#modes = options.modes;
    this.#events = events;
    const { onEnd } = events;
    this.#reader = new KeyReader(options.stdin, { onKey: this.#hear, onEnd }, options);
  }

  get size(): Size {
    return { columns: this.#stdout.columns || 80, rows: this.#stdout.rows || 24 };
  }

  /** Idempotent, as `release` is. */
  take(): void {
    if (this.#isTaken) return;
    this.#isTaken = true;
    const { onRedraw, onEnd } = this.#events;
    this.#stdout.on('resize', onRedraw).once('error', onEnd);
    // A terminal that is gone must not crash the process, also after `release`.
    this.#stdout.on('error', () => undefined);
    process.on('SIGTSTP', this.#stopAlone).on('SIGCONT', this.#resume);
    this.#enter();
    this.#reader.start();
    if (this.#stdin.isTTY) this.#stdout.write(ASK_FOR_KEYS);
  }

  release(): void {
    if (!this.#isTaken) return;
    this.#isTaken = false;
    const { onRedraw, onEnd } = this.#events;
    clearTimeout(this.#resumeTimer);
    this.#reader.stop();
    this.#stdout.off('resize', onRedraw).off('error', onEnd);
    process.off('SIGTSTP', this.#stopAlone).off('SIGCONT', this.#resume);
    this.#leave();
  }

  /** Ctrl-Z: gives the terminal to the shell, and takes it again when the shell continues the job. */
  suspend(): void {
    // As the terminal does it: the whole job is stopped, such as a script that called us.
    this.#stop(0);
  }

  /** Whether another program has the terminal: nothing may be drawn. */
  get isLent(): boolean {
    return this.#isLent;
  }

  /** Gives the terminal to another program, such as an editor, until the work is done. */
  async lend<T>(work: () => Promise<T>): Promise<T> {
    this.#isLent = true;
    this.#reader.stop();
    this.#leave();
    try {
      return await work();
    } finally {
      this.#isLent = false;
      if (this.#isTaken) {
        this.#enter();
        this.#reader.start();
      }
    }
  }

  readonly #hear: KeyEvents['onKey'] = (key, arrivedAt) => {
    // Several keys can come at once: those behind the one that opened an editor are not ours any more.
    if (this.#isLent) return;
    if (key.name !== 'tells-keys') return this.#events.onKey(key, arrivedAt);
    if (this.#tellsKeys || !this.#isEntered) return;
    this.#tellsKeys = true;
    this.#stdout.write(TELL_KEYS);
  };

  #enter(): void {
    if (this.#isEntered) return;
    this.#isEntered = true;
    // Gives the terminal back also when the process ends by an error that nobody catches.
    process.on('exit', this.#leave);
    if (this.#stdin.isTTY) this.#stdin.setRawMode(true);
    this.#stdout.write(this.#modes.enter + (this.#tellsKeys ? TELL_KEYS : ''));
  }

  readonly #leave = (): void => {
    if (!this.#isEntered) return;
    this.#isEntered = false;
    process.off('exit', this.#leave);
    try {
      this.#stdout.write((this.#tellsKeys ? TELL_KEYS_NO_MORE : '') + this.#modes.leave);
      if (this.#stdin.isTTY) this.#stdin.setRawMode(false);
    } catch {
      // The terminal is gone, and its modes with it.
    }
  };

  readonly #stopAlone = (): void => this.#stop(process.pid);

  #stop(target: number): void {
    this.#leave();
    process.off('SIGTSTP', this.#stopAlone);
    process.kill(target, 'SIGTSTP');
    // The kernel does not stop a job that no shell could continue.
    this.#resumeTimer = setTimeout(this.#resume, STOPPED_BY_MS);
  }

  readonly #resume = (): void => {
    clearTimeout(this.#resumeTimer);
    process.off('SIGTSTP', this.#stopAlone).on('SIGTSTP', this.#stopAlone);
    // The editor that has the terminal goes on with it.
    if (this.#isLent) return;
    this.#enter();
    this.#events.onRedraw();
  };
}

/** Rows on a screen of their own (`FULL_SCREEN`); only rows that changed are drawn. */
export class FullScreen {
  readonly #output: NodeJS.WriteStream;
  #drawn: readonly string[] = [];

  constructor(output: NodeJS.WriteStream) {
    this.#output = output;
  }

  draw(rows: readonly string[]): void {
    const changed = rows.flatMap((row, i) => (row === this.#drawn[i] ? [] : [at(i) + row]));
    this.#drawn = rows;
    if (changed.length > 0) this.#output.write(changed.join(''));
  }

  /** Erases the screen: another program may have drawn on it. */
  forget(): void {
    if (this.#drawn.length > 0) this.#output.write(ERASE_SCREEN);
    this.#drawn = [];
  }
}

function at(row: number): string {
  return `\x1b[${row + 1};1H${ERASE_ROW}`;
}

/** A place on the screen, counted from 0. */
export interface Position {
  readonly row: number;
  readonly column: number;
}

/**
 * Rows that still change, below rows that have scrolled by and are the terminal's own. The rows that change
 * must be fewer than the terminal has: otherwise they would scroll out of reach.
 */
export class LiveRows {
  readonly #output: NodeJS.WriteStream;
  readonly #waiting: string[] = [];
  #drawn: readonly string[] = [];
  #cursor: Position | null = null;

  constructor(output: NodeJS.WriteStream) {
    this.#output = output;
  }

  /** Puts rows above the live ones, for good, with the next `draw`. */
  print(rows: readonly string[]): void {
    // There may be more than a call takes as arguments.
    for (const row of rows) this.#waiting.push(row);
  }

  /** `cursor` is counted from the first live row; null hides it. */
  draw(rows: readonly string[], cursor: Position | null): void {
    const columns = this.#output.columns || 80;
    const texts = rows.map((row) => clipPainted(row, columns));
    const isSame =
      texts.length === this.#drawn.length && texts.every((t, i) => t === this.#drawn[i]);
    const isSamePlace =
      cursor?.row === this.#cursor?.row && cursor?.column === this.#cursor?.column;
    if (isSame && isSamePlace && this.#waiting.length === 0) return;
    const frame = [BEGIN_FRAME, CURSOR_OFF, this.#toFirstRow()];
    const above = this.#waiting.splice(0);
    // A row that the terminal breaks moves those below it.
    if (above.some((row) => row.includes('\t') || textWidth(row) > columns)) {
      frame.push(ERASE_BELOW);
      this.#drawn = [];
    }
    const all = [...above, ...texts];
    frame.push(all.map((text, i) => this.#over(text, i)).join('\r\n'));
    // The cursor stays in the last live row, or below what was printed where there is none.
    if (texts.length === 0) frame.push(all.length === 0 ? '' : '\r\n', ERASE_BELOW);
    else if (all.length < this.#drawn.length) frame.push(`\r\n${ERASE_BELOW}${up(1)}`);
    frame.push(placed(cursor, texts.length), END_FRAME);
    this.#drawn = texts;
    this.#cursor = cursor;
    this.#output.write(frame.join(''));
  }

  /** What to write for a row of the frame so that it stands there, whatever stands there now. */
  #over(text: string, at: number): string {
    const old = this.#drawn[at];
    if (old === undefined) return text;
    return old === text ? '' : ERASE_ROW + text;
  }

  /** Erases the screen and begins at its top. Rows that wait to be printed are dropped. */
  restart(): void {
    this.#waiting.length = 0;
    this.#drawn = [];
    this.#output.write(HOME + ERASE_BELOW);
  }

  /** Takes the live rows off the screen. */
  end(): void {
    this.draw([], null);
    this.#output.write(CURSOR_ON);
  }

  #toFirstRow(): string {
    if (this.#drawn.length === 0) return '\r';
    return `\r${up(this.#cursor?.row ?? this.#drawn.length - 1)}`;
  }
}

/** From the end of the last of `count` rows. */
function placed(cursor: Position | null, count: number): string {
  if (cursor === null || count === 0) return '';
  const right = cursor.column === 0 ? '' : `\x1b[${cursor.column}C`;
  return `${up(count - 1 - cursor.row)}\r${right}${CURSOR_ON}`;
}

function up(rows: number): string {
  return rows <= 0 ? '' : `\x1b[${rows}A`;
}
