import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type IPty, spawn } from '@lydell/node-pty';
import { say, slowly, startScriptedModel } from 'savepoint/testing';
import { atMost, type Benchmark } from './benchmark.ts';
import { alternate, roundsWanted, type Samples, type Side } from './measure.ts';
import type { Scratch } from './scratch.ts';

const BIN = fileURLToPath(new URL('../bin/claude-replica.cjs', import.meta.url));
const AGAINST = '`node -e 0`';

/** The interactive agent as a person meets it: at a terminal. */
export const TERMINAL: readonly Benchmark[] = [
  {
    name: '`claude-replica --version`',
    against: AGAINST,
    bar: atMost(2.5),
    run: (scratch) => alternate(version(scratch), emptyNode(scratch)),
  },
  {
    name: '`claude-replica`, from Enter to its first prompt on the screen',
    against: `${AGAINST} at the same terminal`,
    bar: atMost(8),
    run: firstPrompts,
  },
  {
    name: 'a key on the screen while 2,000 lines of Markdown stream',
    against: 'the same key while the agent waits',
    bar: atMost(2),
    run: keys,
  },
];

function version(scratch: Scratch): Side {
  return timed(scratch, [BIN, '--version']);
}

function emptyNode(scratch: Scratch): Side {
  return timed(scratch, ['-e', '0']);
}

function timed(scratch: Scratch, args: readonly string[]): Side {
  return {
    time: async () => (await scratch.spawn(process.execPath, scratch.folder, args)).elapsed,
  };
}

const COLUMNS = 100;
const LONGEST_WAIT_MS = 30_000;

/** A program at a terminal of which nothing is kept but what it wrote last. */
class Screen {
  readonly exited: Promise<void>;
  readonly #process: IPty;
  #written = '';
  #seen: { readonly text: string; readonly resolve: () => void } | null = null;

  constructor(scratch: Scratch, folder: string, args: readonly string[], env: NodeJS.ProcessEnv) {
    this.#process = spawn(process.execPath, [...args], {
      name: 'xterm-256color',
      cols: COLUMNS,
      rows: 40,
      cwd: folder,
      env: { ...scratch.environment(), NO_COLOR: '1', ...env },
    });
    this.#process.onData((text) => {
      this.#written += text;
      if (this.#seen !== null && this.#written.includes(this.#seen.text)) this.#seen.resolve();
    });
    this.exited = new Promise((resolve) => this.#process.onExit(() => resolve()));
  }

  /** Types, and resolves when such a text was written after that. */
  async type(keys: string, seen: string): Promise<void> {
    this.#written = '';
    if (keys !== '') this.#process.write(keys);
    const written = new Promise<void>((resolve) => {
      this.#seen = { text: seen, resolve };
    });
    const late = new AbortController();
    const deadline = pause(LONGEST_WAIT_MS, undefined, { signal: late.signal }).then(
      () => Promise.reject(new Error(`never on the screen: ${seen}\n${this.#written}`)),
      () => undefined,
    );
    await Promise.race([written, deadline]);
    late.abort();
    this.#seen = null;
  }

  async leave(): Promise<void> {
    this.#process.write('\x15\x04');
    await this.exited;
  }
}

/** The line above the input, which is drawn with it. */
const PROMPT: string = '─'.repeat(COLUMNS);

async function firstPrompts(scratch: Scratch): Promise<Samples> {
  const project = scratch.make('project');
  let screen: Screen | null = null;
  const agent: Side = {
    time: async () => {
      const begin = performance.now();
      screen = new Screen(scratch, project, [BIN, '--offline'], {});
      await screen.type('', PROMPT);
      return performance.now() - begin;
    },
    verify: async () => screen?.leave(),
  };
  const bare: Side = {
    time: async () => {
      const begin = performance.now();
      await new Screen(scratch, project, ['-e', '0'], {}).exited;
      return performance.now() - begin;
    },
  };
  return alternate(agent, bare);
}

const ASK = 'report';
const PIECE_DELAY_MS = 1;
/** Less than the answer takes. */
const TYPING_MS = 4_000;

/** Both sides in one conversation: some keys before the answer, some while it comes, some after it. */
async function keys(scratch: Scratch): Promise<Samples> {
  const model = await startScriptedModel({
    [ASK]: [slowly(PIECE_DELAY_MS, [say(`The first word.\n\n${report()}\nThe last word.`)])],
  });
  const env = {
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'dummy',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  };
  const screen = new Screen(scratch, scratch.make('project'), [BIN], env);
  try {
    await screen.type('', PROMPT);
    const rounds = roundsWanted();
    const before = await typeKeys(screen, Math.ceil(rounds / 2));
    await screen.type(`\x15${ASK}`, `> ${ASK}`);
    await screen.type('\r', 'The first word.');
    const ours = await typeKeys(screen, rounds);
    await screen.type('', 'The last word.');
    // The turn has ended: the sign of what the agent is at is gone.
    await pause(1_000);
    const after = await typeKeys(screen, Math.floor(rounds / 2));
    return { ours, theirs: [...before, ...after] };
  } finally {
    await screen.leave();
    await model.close();
  }
}

/** The milliseconds of each key, from the press to the screen. */
async function typeKeys(screen: Screen, count: number): Promise<number[]> {
  await screen.type('\x15x', '> x');
  const samples: number[] = [];
  for (let typed = 'xk'; samples.length < count; typed += 'k') {
    await pause(TYPING_MS / count);
    const begin = performance.now();
    await screen.type('k', `> ${typed}`);
    samples.push(performance.now() - begin);
  }
  await screen.type('\x15', '> ');
  return samples;
}

/** 2,000 lines of Markdown of every kind. */
function report(): string {
  const sections = Array.from({ length: 250 }, (_, i) => [
    `## Section ${i}`,
    `Some **bold** words, and \`code ${i}\`, and a [link](https://example.org/${i}).`,
    '',
    `- item ${i}a\n- item ${i}b`,
    `\`\`\`ts\nconst value${i}: number = compute(${i}); // a remark\n\`\`\``,
  ]);
  return sections.flat().join('\n');
}
