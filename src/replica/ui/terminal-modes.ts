const PASTE_ON = '\x1b[?2004h';
const PASTE_OFF = '\x1b[?2004l';
const CURSOR_ON = '\x1b[?25h';

/** The terminal's modes while the UI has it: what is changed here is changed back here. */
export class TerminalModes {
  readonly #input: NodeJS.ReadStream;
  readonly #output: NodeJS.WriteStream;
  #isEntered = false;

  constructor(input: NodeJS.ReadStream, output: NodeJS.WriteStream) {
    this.#input = input;
    this.#output = output;
  }

  /** Idempotent, as `leave` is. */
  enter(): void {
    if (this.#isEntered) return;
    this.#isEntered = true;
    // Whatever goes wrong elsewhere, such as an error that nobody catches, the terminal is given back.
    process.on('exit', this.leave);
    if (this.#input.isTTY) this.#input.setRawMode(true);
    this.#output.write(PASTE_ON);
  }

  readonly leave = (): void => {
    if (!this.#isEntered) return;
    this.#isEntered = false;
    process.off('exit', this.leave);
    try {
      this.#output.write(PASTE_OFF + CURSOR_ON);
      if (this.#input.isTTY) this.#input.setRawMode(false);
    } catch {
      // The terminal is gone, and its modes with it.
    }
  };
}
