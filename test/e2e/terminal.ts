import { type IPty, spawn } from '@lydell/node-pty';
import xterm, { type IBufferCell } from '@xterm/headless';

export interface TerminalOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
  /** Another program than Node, such as a shell. */
  readonly program?: string;
}

/** What is drawn in one place of the screen. */
export type ScreenCell = IBufferCell;

const LONGEST_WAIT_MS = 30_000;

/** Node, or a shell, at a real terminal, with somebody who reads the screen as it is drawn and types. */
export class Terminal {
  readonly #process: IPty;
  readonly #screen: InstanceType<typeof xterm.Terminal>;
  readonly #exited: Promise<number>;
  /** Everything that was written, escape sequences included. */
  raw = '';

  constructor(args: readonly string[], options: TerminalOptions) {
    const { columns: cols = 80, rows = 24 } = options;
    this.#screen = new xterm.Terminal({ cols, rows, scrollback: 10_000, allowProposedApi: true });
    this.#process = spawn(options.program ?? process.execPath, [...args], {
      name: 'xterm-256color',
      cols,
      rows,
      cwd: options.cwd,
      env: { ...options.env },
    });
    this.#process.onData((text) => {
      this.raw += text;
      this.#screen.write(text);
    });
    // What a program asks of its terminal, such as where the cursor is, gets an answer.
    this.#screen.onData((answer) => this.#process.write(answer));
    this.#exited = new Promise((resolve) => {
      this.#process.onExit(({ exitCode, signal }) => resolve(signal ? 128 + signal : exitCode));
    });
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** Keys as a terminal sends them: `\r` for Enter, `\x1b` for Escape, `\x1b[A` for the arrow up. */
  type(keys: string): void {
    this.#process.write(keys);
  }

  resize(columns: number, rows: number): void {
    this.#screen.resize(columns, rows);
    this.#process.resize(columns, rows);
  }

  kill(signal: string): void {
    this.#process.kill(signal);
  }

  /** As `kill`, for whatever the program has started as well, as a terminal that is closed does. */
  killGroup(signal: NodeJS.Signals): void {
    process.kill(-this.#process.pid, signal);
  }

  /** The rows that are to be seen now, without the spaces at their ends. */
  rows(): string[] {
    return this.#rowsFrom(this.#screen.buffer.active.viewportY, this.#screen.rows);
  }

  /** The same with those that have scrolled out of sight. */
  allRows(): string[] {
    return this.#rowsFrom(0, this.#screen.buffer.active.length);
  }

  /** Where the cursor is on the screen. */
  get cursor(): { readonly row: number; readonly column: number } {
    const { cursorY: row, cursorX: column } = this.#screen.buffer.active;
    return { row, column };
  }

  #rowsFrom(first: number, count: number): string[] {
    return Array.from({ length: count }, (_, row) =>
      (this.#screen.buffer.active.getLine(first + row)?.translateToString(true) ?? '').trimEnd(),
    );
  }

  /** What is to be seen now, a cell of the screen each, with its colours. */
  cells(): ScreenCell[][] {
    const { active } = this.#screen.buffer;
    return Array.from({ length: this.#screen.rows }, (_, row) => {
      const line = active.getLine(active.viewportY + row);
      return Array.from({ length: this.#screen.cols }, (_, column) => line?.getCell(column)).filter(
        (cell) => cell !== undefined,
      );
    });
  }

  screen(): string {
    return this.rows().join('\n').trimEnd();
  }

  /** Whether the screen is the ordinary one, not one that a program has put over it. */
  get isOrdinary(): boolean {
    return this.#screen.buffer.active.type === 'normal';
  }

  /** Waits until the screen shows a text, or is as wanted; fails with the screen when it never is. */
  async until(wanted: string | ((screen: string) => boolean)): Promise<string> {
    const deadline = Date.now() + LONGEST_WAIT_MS;
    const isThere = (screen: string): boolean =>
      typeof wanted === 'string' ? screen.includes(wanted) : wanted(screen);
    while (!isThere(this.screen())) {
      if (Date.now() > deadline) {
        throw new Error(`never on the screen: ${String(wanted)}\n${this.screen()}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return this.screen();
  }

  /** Waits for the program's end and for its last words on the screen. */
  async exit(): Promise<number> {
    const code = await withDeadline(this.#exited, () => this.screen());
    await new Promise<void>((resolve) => this.#screen.write('', resolve));
    return code;
  }

  /** Ends the program if it still runs. */
  async close(): Promise<void> {
    try {
      this.#process.kill('SIGKILL');
    } catch {
      // It has ended already.
    }
    await this.#exited;
    this.#screen.dispose();
  }
}

async function withDeadline<T>(work: Promise<T>, screen: () => string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`still running:\n${screen()}`)), LONGEST_WAIT_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
