import { createInterface, type Interface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { isatty } from 'node:tty';
import { homeDirectory } from '../config/find-project.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { Interrupts } from './interrupts.ts';
import { jsonText } from './json.ts';
import { ProgressLine } from './progress.ts';

/** All that a command may touch of the process it runs in. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  /** Whether a person sits there: both what they read and what they type goes through a terminal. */
  readonly interactive: boolean;
  /** Whether standard output is a terminal, and how wide and how high. */
  readonly terminal: boolean;
  readonly columns: number;
  readonly rows: number;
  /** Whether standard error is a terminal: hints are for a person who reads them there. */
  readonly errorTerminal: boolean;
  /** What a person must hear even if standard output fails: that files were changed. */
  done: string | null;
  /** Waits until all of standard output is written. Gives what went wrong, if anything did. */
  outputFailure(): Promise<Error | null>;
  /** Asks a person and waits for a line; null when there will be none. */
  ask(question: string): Promise<string | null>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly homeDirectory: string;
  readonly platform: NodeJS.Platform;
  readonly interrupts: Interrupts;
  readonly progress: ProgressLine;
  now(): number;
  /** Closes everything that would keep the process from ending. */
  close(): void;
}

const STANDARD_INPUT = 0;
const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;

interface IoOptions {
  /** Whether standard output is for a program. */
  readonly json: boolean;
}

export function processIo({ json }: IoOptions): Io {
  const { stdout, stderr, env, platform } = process;
  const questions = new Questions();
  const output = new Output(stdout);
  const progress = new ProgressLine(stderr);
  const out = (text: string): void => {
    progress.end();
    output.write(text);
  };
  const err = (text: string): void => {
    progress.end();
    stderr.write(text);
  };
  const interrupts = new Interrupts((message, isLast) => {
    const isAnswer = isLast && json && !output.isUsed;
    if (isAnswer) out(interruptedJson(message));
    // The terminal has put a ^C there.
    else err(`\nsavepoint: ${message}\n`);
  });
  // An error of standard error cannot be told to anybody.
  stderr.on('error', () => undefined);
  interrupts.listen();
  return {
    out,
    err,
    // Asking `process.stdin` would create that stream, and few commands read from it.
    interactive: Boolean(stdout.isTTY && isatty(STANDARD_INPUT)),
    terminal: Boolean(stdout.isTTY),
    columns: stdout.columns || DEFAULT_COLUMNS,
    rows: stdout.rows || DEFAULT_ROWS,
    errorTerminal: Boolean(stderr.isTTY),
    done: null,
    outputFailure: () => output.failure(),
    ask: async (question) => {
      out(question);
      const answer = await questions.next();
      // Nobody pressed Enter, so the line of the question has not ended.
      if (answer === null) out('\n');
      return answer;
    },
    env,
    get cwd() {
      return currentFolder();
    },
    homeDirectory: homeDirectory(env),
    platform,
    interrupts,
    progress,
    now: Date.now,
    close: () => {
      progress.end();
      questions.close();
      interrupts.stop();
    },
  };
}

function interruptedJson(message: string): string {
  return jsonText({ error: { code: 'aborted', message, path: null, hint: null } });
}

/** How wide a line of prose may be: no limit in a pipe, where a program may be reading. */
export function columnsOf({ terminal, columns }: Pick<Io, 'terminal' | 'columns'>): number {
  return terminal ? columns : Number.POSITIVE_INFINITY;
}

/** A shell can still be in a folder that was removed. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    throw new UsageError('the current folder does not exist any more', 'go to one that does');
  }
}

/** Reads whole lines in the ordinary mode of the terminal, which therefore needs no restoring. */
class Questions {
  #reader: Interface | null = null;
  #lines: AsyncIterator<string> | null = null;

  async next(): Promise<string | null> {
    this.#reader ??= createInterface({ input: process.stdin, terminal: false });
    this.#lines ??= this.#reader[Symbol.asyncIterator]();
    const { value, done } = await this.#lines.next();
    return done ? null : value;
  }

  close(): void {
    this.#reader?.close();
  }
}

/** Standard output. A write to it can fail at any time, and the command still finishes its work. */
class Output {
  /** Whether anything was written. */
  isUsed = false;
  readonly #stream: NodeJS.WriteStream;
  #failure: NodeJS.ErrnoException | null = null;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
    stream.on('error', (error) => {
      this.#failure ??= error;
    });
  }

  write(text: string): void {
    this.isUsed = true;
    if (this.#failure === null) this.#stream.write(text);
  }

  /** Waits until everything is written. A reader that stops early, such as `head`, is not a failure. */
  async failure(): Promise<Error | null> {
    await new Promise((resolve) => this.#stream.write('', resolve));
    // A stream says that it failed only after it has answered the write.
    await setImmediate();
    return this.#failure?.code === 'EPIPE' ? null : this.#failure;
  }
}
