import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { useTool as call, type Script, say, startScriptedModel } from '../src/testing/index.ts';
import { Agent, ENTER, ESCAPE, isIdle } from '../test/replica/agent.ts';
import { svgOf } from './draw-screen.ts';

const MAIN = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));

/** The main screens of the interactive agent, as files of `docs/pictures/`. */
export const SCREENS = {
  'answer.svg': 'An answer with code',
  'question.svg': 'A question about an edit, with its diff',
  'rewind.svg': 'Esc Esc: what each prompt changed',
  'conflict.svg': 'A rewind of lines that a person has changed since',
} as const;

export type ScreenName = keyof typeof SCREENS;

export function pictureOf(name: ScreenName): string {
  return fileURLToPath(new URL(`../docs/pictures/${name}`, import.meta.url));
}

const SIZE = { columns: 100, rows: 34 };
const ASK = 'How does total() round?';
const EDIT = 'Round to cents instead';
const RUN = 'Run the tests';
const QUESTION = 'Yes, this once';

/** Draws them all: the real agent at a real terminal, on a model that always says the same. */
export async function recordScreens(): Promise<Readonly<Record<ScreenName, string>>> {
  // Wherever TMPDIR points to: the length of a path decides where a row breaks.
  const home = realpathSync(mkdtempSync('/tmp/savepoint-screens-'));
  const folder = settle(home);
  const model = await startScriptedModel(script(folder));
  const env = environment(home, model.url);
  const agent = new Agent([MAIN, 'chat', '--model', 'claude-sonnet-4-5'], {
    cwd: folder,
    env,
    ...SIZE,
  });
  try {
    await agent.until('Esc Esc rewinds');
    const pictures = await play(agent, folder);
    return mapped(pictures, (picture) => picture.replaceAll(home, '~'));
  } finally {
    await agent.close();
    await model.close();
    rmSync(home, { recursive: true, force: true });
  }
}

async function play(agent: Agent, folder: string): Promise<Readonly<Record<ScreenName, string>>> {
  const isOver = (said: string) => (screen: string) => screen.includes(said) && isIdle(screen);
  await agent.ask(ASK, 'half a cent');
  // What colours code is loaded when there is some.
  await agent.until(() => svgOf(agent.cells(), '').includes('>const</text>'));
  const answer = draw(agent, 'answer.svg');
  await agent.press(EDIT + ENTER, QUESTION);
  const question = draw(agent, 'question.svg');
  await agent.press('1', isOver('It rounds to cents now.'));
  await agent.press(RUN + ENTER, isOver('All of them pass.'));
  await agent.openMenu(3);
  const rewind = draw(agent, 'rewind.svg');
  await agent.press(ESCAPE, (screen) => !screen.includes('Rewind: what'));
  writeFileSync(join(folder, 'till.ts'), BY_HAND);
  await agent.openMenu(3);
  await agent.press('2', 'Rewind to: ');
  const conflict = draw(agent, 'conflict.svg');
  return {
    'answer.svg': answer,
    'question.svg': question,
    'rewind.svg': rewind,
    'conflict.svg': conflict,
  };
}

function mapped(
  pictures: Readonly<Record<ScreenName, string>>,
  change: (picture: string) => string,
): Readonly<Record<ScreenName, string>> {
  const entries = Object.entries(pictures).map(([name, picture]) => [name, change(picture)]);
  return Object.fromEntries(entries);
}

function draw(agent: Agent, name: ScreenName): string {
  return svgOf(agent.cells(), SCREENS[name]);
}

/** In the home directory, so that its path is short and always the same. */
function settle(home: string): string {
  const folder = join(home, 'till');
  mkdirSync(join(folder, '.git'), { recursive: true });
  mkdirSync(join(home, 'tmp'));
  writeFileSync(join(folder, '.git', 'HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(folder, 'till.ts'), FIRST);
  return folder;
}

function environment(home: string, url: string): Record<string, string> {
  return {
    PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(':'),
    HOME: home,
    TMPDIR: join(home, 'tmp'),
    LC_ALL: 'C.UTF-8',
    TERM: 'xterm-256color',
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'dummy',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: '1',
    DISABLE_AUTOUPDATER: '1',
    NODE_OPTIONS: SLOW_CLOCK,
  };
}

const FIRST = `export function total(prices: readonly number[]): number {
  const sum = prices.reduce((all, one) => all + one, 0);
  return Math.floor(sum);
}
`;
const ROUNDED = '  return Math.round(sum * 100) / 100;';
const BY_HAND = FIRST.replace('  return Math.floor(sum);', '  return Number(sum.toFixed(2));');

const ANSWER = `\`total()\` drops everything after the point, since \`Math.floor\` **rounds down**:

\`\`\`ts
const sum = prices.reduce((all, one) => all + one, 0);
return Math.floor(sum); // 6.30 becomes 6
\`\`\`

To round to cents instead:

1. multiply by 100 before rounding,
2. divide by 100 after it,
3. test a sum that ends in half a cent.
`;

function script(folder: string): Script {
  const file_path = join(folder, 'till.ts');
  const edit = { old_string: '  return Math.floor(sum);', new_string: ROUNDED };
  const run = { command: 'echo "3 passed"', description: 'Run the tests' };
  return {
    [ASK]: [[call('Read', { file_path })], [say(ANSWER)]],
    [EDIT]: [[call('Edit', { file_path, ...edit })], [say('It rounds to cents now.')]],
    [RUN]: [[call('Bash', run)], [say('All of them pass.')]],
  };
}

/** A minute takes a second: on a slow machine, too, everything was "just now". */
const SLOW_CLOCK = `--import=data:text/javascript,${encodeURIComponent(`
  const began = Date.now();
  const real = Date.now;
  const slow = () => Math.floor(began + (real() - began) / 60);
  globalThis.Date = class extends Date {
    constructor(...given) {
      super(...(given.length === 0 ? [slow()] : given));
    }
    static now() {
      return slow();
    }
  };
`)}`;
