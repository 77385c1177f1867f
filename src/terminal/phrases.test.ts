import { expect, it } from 'vitest';
import { exactTime, relativeTime } from './phrases.ts';

const NOW = Date.UTC(2025, 5, 15, 12);
const SECOND = 1000;
const HOUR = 3600 * SECOND;

it.each([
  [0, 'just now'],
  [9 * SECOND, 'just now'],
  [59 * SECOND, '59 seconds ago'],
  [60 * SECOND, '1 minute ago'],
  [119 * SECOND, '1 minute ago'],
  [HOUR, '1 hour ago'],
  [47 * HOUR, '1 day ago'],
  [48 * HOUR, '2 days ago'],
  [31 * 24 * HOUR, '2025-05-15'],
  [-30 * SECOND, 'just now'],
  [-48 * HOUR, '2025-06-17'],
])('says %d ms ago as "%s"', (ago, said) => {
  expect(relativeTime(NOW - ago, NOW)).toBe(said);
});

it('does not fail on a time that is none', () => {
  expect(relativeTime(Number.NaN, NOW)).toBe('at some time');
});

it('tells the time itself by the clock of this place', () => {
  expect(exactTime(new Date(2026, 0, 2, 3, 4, 5).getTime())).toBe('2026-01-02 03:04:05');
  expect(exactTime(Number.NaN)).toBe('at some time');
});
