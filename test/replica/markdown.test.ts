import { expect, it } from 'vitest';
import { type Script, say } from '../../src/testing/index.ts';
import { type Agent, isIdle, timesIn } from './agent.ts';
import { inAgentProject, written } from './agent-project.ts';
import { SAMPLE } from './markdown-sample.ts';

const EXPLAIN = 'Explain the plan';
const REPORT = 'Report at length';
const HURT = 'Hurt my terminal';
const PARAGRAPHS = 250;
const CTRL_O = '\x0f';
/** Where everything is drawn anew. */
const TOP = '\x1b[H';

/** 2,000 lines of Markdown of every kind; each has its number. */
function report(): string {
  return Array.from({ length: PARAGRAPHS }, (_, i) =>
    [
      `## Section ${i}`,
      `Some **bold** words, and \`code ${i}\`.`,
      '',
      `- item ${i}a`,
      `- item ${i}b`,
      '```ts',
      `const value${i} = ${i};`,
      '```',
    ].join('\n'),
  ).join('\n');
}

const HOSTILE = `before \x1b[2J\x1b[H\x07 **after\u202e**\n\n\`\`\`js\n${'x'.repeat(20_000)}\x1b]0;t\x07\nThe last word.`;

const SCRIPT: Script = {
  [EXPLAIN]: [[say(SAMPLE)]],
  [REPORT]: [[say(`${report()}\n\nThat is all.`)]],
  [HURT]: [[say(HOSTILE)]],
};

/** The rows of the answer to a prompt that are on the screen. */
function answerOn(screen: string, prompt: string): string[] {
  const rows = screen.split('\n');
  const from = rows.lastIndexOf(`> ${prompt}`);
  const to = rows.findIndex((row, i) => i > from && row === 'The end.');
  return from === -1 || to === -1 ? [] : rows.slice(from + 2, to + 1);
}

it('shows an answer as Markdown at 60, 80 and 120 columns, wrapped again when the size changes', () =>
  inAgentProject(
    {},
    () => SCRIPT,
    async (project) => {
      const agent = await project.start();
      agent.resize(60, 70);
      await agent.until((screen) => screen.includes('─'.repeat(60)));
      await agent.ask(EXPLAIN, 'The end.');
      await written(() => answerOn(agent.screen(), EXPLAIN)).toEqual(
        at(60, LIST_AT_60, TABLE_AT_60),
      );
      for (const columns of [120, 80]) {
        agent.resize(columns, 70);
        await agent.until((screen) => screen.includes('─'.repeat(columns)));
        await written(() => answerOn(agent.screen(), EXPLAIN)).toEqual(at(columns, LIST, TABLE));
      }
      // Whole, and folded again: the same answer, wrapped anew.
      for (let times = 0; times < 2; times += 1) {
        const drawn = timesIn(agent.raw, TOP);
        agent.type(CTRL_O);
        await written(() => timesIn(agent.raw, TOP)).toBeGreaterThan(drawn);
        await written(() => answerOn(agent.screen(), EXPLAIN)).toEqual(at(80, LIST, TABLE));
      }
      // Heading, emphasis, and code by its language.
      for (const painted of ['1m\x1b[4mThe plan', '1mbold', '3mslanted', '9mgone', '35mexport']) {
        expect(agent.raw).toContain(`\x1b[${painted}`);
      }

      await agent.ask(HURT, 'The last word.');
      expect(agent.screen()).toContain('\\x1b]0;t\\x07');
      expect(agent.raw).not.toMatch(/\x1b\]|\x07|\u202e/);
      expect(agent.rows().filter((row) => /^x+$/.test(row.trim())).length).toBeGreaterThan(20);

      await streamsWithoutFlicker(agent);
      expect(await agent.leave()).toBe(0);
    },
  ));

/** 2,000 lines: nothing is erased but rows that change, and only those at the end are written again. */
async function streamsWithoutFlicker(agent: Agent): Promise<void> {
  await agent.press(REPORT, REPORT);
  const before = agent.raw.length;
  agent.type('\r');
  await agent.until((screen) => screen.includes('That is all.') && isIdle(screen));
  const bytes = agent.raw.slice(before);
  // Neither is the screen erased nor does anything begin at its top.
  expect(bytes).not.toMatch(/\x1b\[(?:[123]J|[0-9;]*H)/);
  const frames = bytes.split('\x1b[?2026h').slice(1);
  // Only the live rows are written over: what is not settled yet, what the agent is at, and the input.
  const most = (part: string): number => Math.max(...frames.map((frame) => timesIn(frame, part)));
  expect(most('\x1b[2K')).toBeLessThan(20);
  expect(most('\x1b[J')).toBeLessThan(2);
  expect(bytes.length).toBeLessThan(3 * report().length);
  const rows = agent.allRows();
  const codes = rows.flatMap((row) => /^ {2}const value(\d+) = \1;$/.exec(row)?.[1] ?? []);
  expect(codes).toEqual(Array.from({ length: PARAGRAPHS }, (_, i) => String(i)));
  expect(rows.filter((row) => /^• item \d+[ab]$/.test(row))).toHaveLength(PARAGRAPHS * 2);
}

function at(columns: number, list: readonly string[], table: readonly string[]): string[] {
  const words = PARAGRAPH[columns] ?? [];
  return [
    ...['The plan', '', ...words, '', 'Steps', '', ...list, '', '[x] done', '[ ] open', ''],
    ...['│ Quoted words', '', ...table, '', '─'.repeat(40), ''],
    ...['  /* A comment', '     of two lines */', '  export const answer: number = 42;', ''],
    'The end.',
  ];
}

const PARAGRAPH: Readonly<Record<number, readonly string[]>> = {
  60: [
    'Some bold, slanted, gone and inline code, and a link',
    '(https://example.org/docs) in a',
    'paragraph of two lines.',
  ],
  80: [
    'Some bold, slanted, gone and inline code, and a link (https://example.org/docs)',
    'in a',
    'paragraph of two lines.',
  ],
  120: [
    'Some bold, slanted, gone and inline code, and a link (https://example.org/docs) in a',
    'paragraph of two lines.',
  ],
};
const NESTED = ['   ◦ nested', '     ▪ deeper', '3. Third'];
const LIST = [
  '1. First',
  '2. Second, in so many words that a terminal of sixty columns has to break it',
  ...NESTED,
];
const LIST_AT_60 = [
  '1. First',
  '2. Second, in so many words that a terminal of sixty columns',
  '   has to break it',
  ...NESTED,
];
const TABLE_AT_60 = [
  'Name  │ Count │                    Remark',
  '──────┼───────┼─────────────────────────────────────────────',
  'alpha │     1 │                    short',
  '──────┼───────┼─────────────────────────────────────────────',
  '漢字  │  1000 │  a remark that is so long that it needs two',
  '      │       │            rows at sixty columns',
];
const TABLE = [
  'Name  │ Count │                              Remark',
  `──────┼───────┼─${'─'.repeat(64)}`,
  'alpha │     1 │                              short',
  '漢字  │  1000 │ a remark that is so long that it needs two rows at sixty columns',
];
