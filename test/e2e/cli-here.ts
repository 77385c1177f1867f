import { stripVTControlCharacters } from 'node:util';
import { Interrupts } from '../../src/cli/interrupts.ts';
import type { Io } from '../../src/cli/io.ts';
import { ProgressLine } from '../../src/cli/progress.ts';
import { run } from '../../src/cli/run.ts';
import { homeDirectory } from '../../src/config/find-project.ts';

export interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Whether standard error goes to a terminal, as in `savepoint list | head`. True when left out. */
  readonly errorTerminal?: boolean;
}

/** A terminal without a process behind it, and a person who answers what is asked. */
export interface Person {
  readonly columns?: number;
  /** One line for each question, or what to do first; then there is nobody left to answer. */
  readonly answers?: readonly (string | (() => string | Promise<string>))[];
}

export interface Seen {
  readonly code: number;
  /** Both streams in the order in which they were written, with escape sequences. */
  readonly raw: string;
  /** The same as lines without escape sequences and without the spaces at their ends. */
  readonly rows: readonly string[];
}

/**
 * Runs a command line without a process of its own, which would take most of the time of a short command. For
 * everything that does not depend on signals, on standard streams or on the modes of a terminal.
 */
export async function runHere(
  args: readonly string[],
  place: Place,
): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const io: Io = {
    ...ioAt(place),
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    interactive: false,
    terminal: false,
    columns: 80,
    ask: async () => null,
  };
  const code = await run(args, io);
  return { code, out, err };
}

/** As `runHere`, before the eyes of a person. A long output is not paged. */
export async function seenHere(
  args: readonly string[],
  place: Place,
  { columns = 80, answers = [] }: Person = {},
): Promise<Seen> {
  let raw = '';
  const write = (text: string): void => {
    raw += text;
  };
  const left = [...answers];
  const io: Io = {
    ...ioAt({ ...place, env: { TERM: 'xterm-256color', PAGER: 'cat', ...place.env } }),
    out: write,
    err: write,
    interactive: true,
    terminal: true,
    columns,
    ask: async (question) => {
      const next = left.shift() ?? null;
      const answer = typeof next === 'function' ? await next() : next;
      write(`${question}${answer ?? ''}\n`);
      return answer;
    },
  };
  const code = await run(args, io);
  const rows = stripVTControlCharacters(raw).trimEnd().split('\n');
  return { code, raw, rows: rows.map((row) => row.trimEnd()) };
}

type Surroundings = Omit<Io, 'out' | 'err' | 'interactive' | 'terminal' | 'columns' | 'ask'>;

function ioAt({ cwd, env, errorTerminal = true }: Place): Surroundings {
  return {
    rows: 24,
    errorTerminal,
    done: null,
    outputFailure: async () => null,
    env,
    cwd,
    homeDirectory: homeDirectory(env),
    platform: process.platform,
    interrupts: new Interrupts(() => undefined),
    progress: new ProgressLine({ isTTY: false, columns: 80, write: () => true }),
    now: Date.now,
    close: () => undefined,
  };
}
