import { UsageError } from '../terminal/usage-error.ts';
import { durationOf } from './durations.ts';

const DATE = /^\d{4}-\d\d-\d\d$/;
const DATE_AND_TIME = /^\d{4}-\d\d-\d\d[t ]\d\d:\d\d(:\d\d(\.\d+)?)?(z|[+-]\d\d:?\d\d)?$/;
const TIME = /^(\d{1,2}):(\d\d)$/;

/** A point in time as people type it; days begin at midnight where they live. */
export function parseSince(text: string, now: number): number {
  const word = text.trim().toLowerCase();
  const found = timeOf(word, now);
  if (found !== null && !Number.isNaN(found)) return found;
  throw new UsageError(
    `--since does not understand "${text}"`,
    'such as 2h, 3d, 1w, yesterday, 14:30, 2026-01-31 or 2026-01-31T14:30',
  );
}

function timeOf(word: string, now: number): number | null {
  if (word === 'today') return midnight(now, 0);
  if (word === 'yesterday') return midnight(now, -1);
  const ago = durationOf(word.replace(/\s+ago$/, ''));
  if (ago !== null) return now - ago;
  const [, hours, minutes] = TIME.exec(word) ?? [];
  if (hours !== undefined) return timeOfDay(now, Number(hours), Number(minutes));
  // Without a time, JavaScript takes a date for one in Greenwich.
  if (DATE.test(word)) return Date.parse(`${word}T00:00`);
  return DATE_AND_TIME.test(word) ? Date.parse(word.replace(' ', 'T').toUpperCase()) : null;
}

function midnight(now: number, days: number): number {
  const date = new Date(now);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).getTime();
}

/** The last time that the clock showed it. */
function timeOfDay(now: number, hours: number, minutes: number): number {
  if (hours > 23 || minutes > 59) return Number.NaN;
  const date = new Date(now);
  date.setHours(hours, minutes, 0, 0);
  if (date.getTime() > now) date.setDate(date.getDate() - 1);
  return date.getTime();
}
