import { Terminal, type TerminalOptions } from '../e2e/terminal.ts';

export const ENTER = '\r';
export const ESCAPE = '\x1b';
export const DOWN = '\x1b[B';
export const CTRL_C = '\x03';
export const CTRL_D = '\x04';

export type Wanted = string | ((screen: string) => boolean);

/** The interactive agent at a terminal that is large enough for a whole conversation. */
export class Agent extends Terminal {
  constructor(args: readonly string[], options: TerminalOptions) {
    super(args, { columns: 96, rows: 60, ...options });
  }

  /** Types, and waits for what comes of it. */
  async press(keys: string, seen: Wanted): Promise<string> {
    this.type(keys);
    return this.until(seen);
  }

  /** Sends a prompt, and waits for the answer and the end of the turn. */
  async ask(prompt: string, answer: string): Promise<void> {
    const before = timesIn(this.screen(), answer);
    await this.press(prompt, prompt.slice(0, 20));
    this.type(ENTER);
    await this.until((screen) => timesIn(screen, answer) > before && isIdle(screen));
  }

  /** A slash command, and what it says. */
  async command(text: string, said: Wanted): Promise<string> {
    return this.press(`${text}${ENTER}`, said);
  }

  /** Esc Esc; how many entries the menu has, and that all of them are counted. */
  async openMenu(entries: number): Promise<string> {
    this.type(ESCAPE + ESCAPE);
    return this.until((screen) => {
      const rows = menuRows(screen);
      return (
        rows.length === entries &&
        rows.every((row) => !row.endsWith('…')) &&
        !screen.includes('│ …')
      );
    });
  }

  /** Chooses an entry of the menu, and then what to take back. */
  async rewind(
    entry: number,
    choice: 'files' | 'conversation' | 'both',
    said: string,
  ): Promise<void> {
    await this.press(`${entry}`, 'Rewind to: ');
    const before = timesIn(this.screen(), said);
    this.type(`${['files', 'conversation', 'both'].indexOf(choice) + 1}`);
    await this.until((screen) => timesIn(screen, said) > before && !screen.includes('Rewind to: '));
  }

  /** Leaves by Ctrl-D at an empty input. */
  async leave(): Promise<number> {
    this.type(CTRL_D);
    return this.exit();
  }
}

/** The entries of the menu that is open, without the mark of the one that is selected. */
export function menuRows(screen: string): string[] {
  const rows = screen.split('\n');
  const from = rows.findLastIndex((row) => row.startsWith('Rewind: what'));
  const below = from === -1 ? [] : rows.slice(from + 1).map((row) => row.replace(/ *│.*$/, ''));
  const entries: string[] = [];
  for (const row of below) {
    const [, first] = /^[❯ ] (\d+ .*)$/.exec(row) ?? [];
    // Where the list is narrow, an entry goes on in the rows below it.
    if (first !== undefined) entries.push(first);
    else if (/^ {5}\S/.test(row)) entries.push(`${entries.pop() ?? ''}  ${row.trim()}`);
  }
  return entries;
}

/** The agent waits for the person. */
export function isIdle(screen: string): boolean {
  return !screen.includes('(Esc interrupts)');
}

export function timesIn(text: string, part: string): number {
  return text.split(part).length - 1;
}
