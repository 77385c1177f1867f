import { parseBytes } from '../config/kinds.ts';
import type { PlanOptions } from '../index.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { type Call, flag, type Option, option, wordOption } from './command.ts';

const DEFAULT_LIMIT = 50;

export const LIMIT_OPTION: Option = option(
  'N',
  `how many to show, 0 for all (default: ${DEFAULT_LIMIT}, or all with --json)`,
);

/** Null: all. */
export function limitOf(call: Call): number | null {
  const given = call.values.get('limit');
  if (given === undefined) return call.json ? null : DEFAULT_LIMIT;
  if (!/^\d{1,9}$/.test(given))
    throw new UsageError(`--limit must be a number from 0 on, not "${given}"`);
  return Number(given) === 0 ? null : Number(given);
}

/** Options of everything that makes a plan and carries it out. */
export const PLAN_OPTIONS: Readonly<Record<string, Option>> = {
  'dry-run': flag('show what would be done, and do nothing'),
  'on-conflict': option(
    'WHAT',
    'settle conflicts: keep what is there, restore all the same, or fail (default: leave them)',
    ['keep', 'restore', 'fail'],
  ),
  force: flag('go ahead although a tool call of the session is still running'),
  yes: flag('do not ask'),
};

/** Of commands that can take back changes of other commands. */
export const INCLUDE_SHARED: Option = flag(
  'also take back changes of which it is not certain who made them',
);

export function planOptions(call: Call): PlanOptions {
  return {
    onConflict: wordOption(call, 'on-conflict', ['keep', 'restore', 'fail']),
    force: call.flags.has('force'),
  };
}

/** Whether a person is there to be asked, and has not answered beforehand. */
export function asksFirst({ io, json, flags }: Call): boolean {
  return io.interactive && !json && !flags.has('yes');
}

/** Whether a person said yes. Only where somebody is there to be asked. */
export async function confirmed({ io }: Call, question: string): Promise<boolean> {
  const answer = await io.ask(`\n${question} [y/N] `);
  return /^\s*y(es)?\s*$/i.test(answer ?? '');
}

/** As `confirmed`, for what cannot be undone: where nobody can be asked, only `--yes` says yes. */
export async function agreedForGood(
  call: Call,
  question: string,
  refusal: readonly [message: string, hint: string],
): Promise<boolean> {
  if (call.flags.has('yes')) return true;
  if (!asksFirst(call)) throw new UsageError(...refusal);
  return confirmed(call, question);
}

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const;
// Long words are known by their first letter: "2 hours", "3d", "1 week".
const DURATION = /^(\d{1,6})\s*(s|m|h|d|w|(?:sec(?:ond)?|min(?:ute)?|hour|day|week)s?)$/;

/** A length of time as people type it, in milliseconds; null for any other text. */
function durationOf(text: string): number | null {
  const [, amount, unit] = DURATION.exec(text) ?? [];
  if (unit === undefined) return null;
  return Number(amount) * SECONDS[unit.charAt(0) as keyof typeof SECONDS] * 1000;
}

/** An option that takes an age: "12h", "30d", "2w". In milliseconds. */
export function ageOption(call: Call, option: string): number | undefined {
  const given = call.values.get(option);
  if (given === undefined) return undefined;
  const age = durationOf(given);
  if (age !== null) return age;
  throw new UsageError(`--${option} must be an age such as 12h, 30d or 2w, not "${given}"`);
}

/** An option that takes a number of bytes, with a unit or without. */
export function sizeOption(call: Call, option: string): number | undefined {
  const given = call.values.get(option);
  if (given === undefined) return undefined;
  const bytes = parseBytes(given);
  if (bytes !== undefined) return bytes;
  throw new UsageError(`--${option} must be a size such as 500MB or 2GiB, not "${given}"`);
}

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
  // JavaScript reads a date without a time as midnight in UTC.
  if (DATE.test(word)) return Date.parse(`${word}T00:00`);
  return DATE_AND_TIME.test(word) ? Date.parse(word.replace(' ', 'T').toUpperCase()) : null;
}

function midnight(now: number, days: number): number {
  const date = new Date(now);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).getTime();
}

/** Today at that time, or yesterday if that is still to come. */
function timeOfDay(now: number, hours: number, minutes: number): number {
  if (hours > 23 || minutes > 59) return Number.NaN;
  const date = new Date(now);
  date.setHours(hours, minutes, 0, 0);
  if (date.getTime() > now) date.setDate(date.getDate() - 1);
  return date.getTime();
}
