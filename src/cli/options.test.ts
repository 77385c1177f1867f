import { expect, it } from 'vitest';
import { parseSince } from './options.ts';

const NOW = new Date(2026, 6, 31, 12, 30).getTime();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

it.each([
  ['30s', NOW - MINUTE / 2],
  ['15m', NOW - 15 * MINUTE],
  ['5 min', NOW - 5 * MINUTE],
  ['2h', NOW - 2 * HOUR],
  ['2 hours ago', NOW - 2 * HOUR],
  ['1 day', NOW - 24 * HOUR],
  ['3d', NOW - 72 * HOUR],
  ['1w', NOW - 168 * HOUR],
  ['2 Weeks', NOW - 336 * HOUR],
])('goes back from now: %s', (text, time) => {
  expect(parseSince(text, NOW)).toBe(time);
});

it.each([
  ['today', new Date(2026, 6, 31)],
  ['yesterday', new Date(2026, 6, 30)],
  ['2026-07-01', new Date(2026, 6, 1)],
  ['2026-07-01T14:30', new Date(2026, 6, 1, 14, 30)],
  ['2026-07-01 14:30:15', new Date(2026, 6, 1, 14, 30, 15)],
  ['11:00', new Date(2026, 6, 31, 11)],
  ['14:00', new Date(2026, 6, 30, 14)],
])('takes days and hours for those of this place: %s', (text, date) => {
  expect(parseSince(text, NOW)).toBe(date.getTime());
});

it('takes a zone where one is given', () => {
  expect(parseSince('2026-07-01T14:30:00Z', NOW)).toBe(Date.UTC(2026, 6, 1, 14, 30));
  expect(parseSince('2026-07-01T14:30+02:00', NOW)).toBe(Date.UTC(2026, 6, 1, 12, 30));
});

it.each(['', 'soon', '2x', '2026-13-01', '2026-07', '25:00', '12:99', '-3d', '1e9d', '3dd'])(
  'refuses what it does not understand: %j',
  (text) => {
    expect(() => parseSince(text, NOW)).toThrow('--since does not understand');
  },
);
