import { expect, it } from 'vitest';
import { PressPair } from './press-pair.ts';

it('takes two presses within the time for a pair, and a third for the first of the next', () => {
  const pair = new PressPair(300);
  expect([0, 300, 400, 500].map((at) => pair.press(at))).toEqual([false, true, false, true]);
});

it('takes presses that are further apart for single ones, the last of which may begin a pair', () => {
  const pair = new PressPair(300);
  expect([0, 301, 602, 700].map((at) => pair.press(at))).toEqual([false, false, false, true]);
});

it('does not count a press that meant something else', () => {
  const pair = new PressPair(300);
  pair.press(0);
  pair.forget();
  expect(pair.press(10)).toBe(false);
});
