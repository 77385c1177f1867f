import { expect, it } from 'vitest';
import { chooserOf } from '../../terminal/interactive/chooser.ts';
import { liveView } from './live-view.ts';
import { NO_PROMPT, withText } from './prompt.ts';
import { type UIState, UIStore } from './ui-state.ts';

const plain = (_style: string, text: string): string => text;
const stateOf = (columns: number, rows: number, part: Partial<UIState> = {}): UIState => ({
  ...new UIStore(() => undefined).get(),
  size: { columns, rows },
  ...part,
});
const prompt = (text: string) =>
  withText(NO_PROMPT, text, {
    columns: 78,
    complete: () =>
      Array.from({ length: 20 }, (_, i) => ({ text: `/c${i}`, summary: 'what it does' })),
  });

const options = Array.from({ length: 50 }, (_, i) => ({
  value: i,
  label: String(i + 1),
  rows: () => ['a', 'b'],
}));
const FULL: Partial<UIState> = {
  answer: 'line\n'.repeat(500),
  activity: 'thinking',
  hint: 'a hint',
  waiting: Array.from({ length: 9 }, (_, i) => `prompt ${i}`),
};

it.each([
  [80, 24],
  [40, 10],
  [20, 6],
  [8, 3],
  [2, 1],
])('is never as high as a terminal of %i columns and %i rows', (columns, rows) => {
  const states = [
    stateOf(columns, rows, FULL),
    stateOf(columns, rows, { ...FULL, prompt: prompt('/') }),
    stateOf(columns, rows, { ...FULL, prompt: prompt('many words '.repeat(80)) }),
    stateOf(columns, rows, { ...FULL, dialog: chooserOf({ title: 't', options }) }),
    stateOf(columns, rows, { thinking: 'thought\n'.repeat(99), verbose: true }),
  ];
  for (const state of states) {
    const height = liveView(state, { paint: plain, now: 0 }).rows.length;
    expect(height).toBeLessThanOrEqual(Math.max(1, rows - 1));
  }
});

it('shows the end of an answer that is longer than there is room for', () => {
  const answer = Array.from({ length: 100 }, (_, i) => `line ${i}`).join('\n');
  const view = liveView(stateOf(40, 10, { answer }), { paint: plain, now: 0 });
  expect(view.rows.slice(0, view.rows.indexOf('─'.repeat(40))).at(-1)).toBe('line 99');
});

it('puts the cursor where the next character goes, also behind Chinese', () => {
  const state = stateOf(40, 10, {
    prompt: prompt('你好'),
    answer: 'one\ntwo',
    activity: 'thinking',
  });
  const { rows, cursor } = liveView(state, { paint: plain, now: 0 });
  expect(cursor).toEqual({ row: rows.indexOf('> 你好'), column: 6 });
});

it('shows a question instead of the input', () => {
  const dialog = chooserOf({ title: 'Which?', options });
  const view = liveView(stateOf(40, 10, { dialog, activity: 'waiting' }), { paint: plain, now: 0 });
  expect(view.rows[0]).toBe('Which?');
  expect(view.rows.join('')).not.toContain('>');
  expect(view.cursor).toBeNull();
});

it('shows the last prompts that wait, and how many more there are', () => {
  const waiting = Array.from({ length: 9 }, (_, i) => `prompt ${i}\x1b[2J`);
  const { rows } = liveView(stateOf(60, 24, { waiting }), { paint: plain, now: 0 });
  expect(rows.slice(0, 4)).toEqual([
    '5 more, waits: prompt 5\\x1b[2J',
    'waits: prompt 6\\x1b[2J',
    'waits: prompt 7\\x1b[2J',
    'waits: prompt 8\\x1b[2J (↑ takes it back)',
  ]);
});
