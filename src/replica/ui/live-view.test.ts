import { expect, it } from 'vitest';
import { choiceDialog } from './dialog/choice-dialog.ts';
import { liveHeight, liveView } from './live-view.ts';
import { withText } from './prompt/prompt-state.ts';
import { type UIState, UIStore } from './ui-store.ts';

const plain = (_style: string, text: string): string => text;
const stateOf = (columns: number, rows: number, part: Partial<UIState> = {}): UIState => ({
  ...new UIStore({ columns, rows }).get(),
  ...part,
});
const prompt = (text: string) =>
  withText(new UIStore({ columns: 80, rows: 24 }).get().prompt, text, {
    columns: 78,
    complete: () =>
      Array.from({ length: 20 }, (_, i) => ({ text: `/c${i}`, summary: 'what it does' })),
  });

const options = Array.from({ length: 50 }, (_, i) => ({ number: i + 1, rows: () => ['a', 'b'] }));
const FULL: Partial<UIState> = {
  answer: 'line\n'.repeat(500),
  activity: 'thinking',
  hint: 'a hint',
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
    stateOf(columns, rows, { ...FULL, dialog: choiceDialog({ title: 't', options }) }),
    stateOf(columns, rows, { thinking: 'thought\n'.repeat(99), verbose: true }),
  ];
  for (const state of states) {
    expect(liveHeight(state, 0)).toBeLessThanOrEqual(Math.max(2, rows - 1));
  }
});

it('shows the end of an answer that is longer than there is room for', () => {
  const answer = Array.from({ length: 100 }, (_, i) => `line ${i}`).join('\n');
  const view = liveView(stateOf(40, 10, { answer }), { paint: plain, now: 0 });
  expect(view.answer.at(-1)).toBe('line 99');
});

it('puts the cursor where the next character goes, also behind Chinese', () => {
  const state = stateOf(40, 10, {
    prompt: prompt('你好'),
    answer: 'one\ntwo',
    activity: 'thinking',
  });
  const { answer, below, cursor } = liveView(state, { paint: plain, now: 0 });
  const row = answer.length + 1 + below.indexOf('> 你好');
  expect(cursor).toEqual({ x: 6, y: row });
});

it('shows a question instead of the input', () => {
  const dialog = choiceDialog({ title: 'Which?', options });
  const view = liveView(stateOf(40, 10, { dialog, activity: 'waiting' }), { paint: plain, now: 0 });
  expect(view.below[0]).toBe('Which?');
  expect(view.below.join('')).not.toContain('>');
  expect(view.cursor).toBeNull();
});
