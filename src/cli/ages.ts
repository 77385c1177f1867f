import type { Call } from './command.ts';
import { UsageError } from './usage-error.ts';

const HOUR_MS = 60 * 60 * 1000;
const UNITS: ReadonlyMap<string, number> = new Map([
  ['min', HOUR_MS / 60],
  ['h', HOUR_MS],
  ['d', 24 * HOUR_MS],
  ['w', 7 * 24 * HOUR_MS],
]);

/** An option that takes an age: "12h", "30d", "2w". In milliseconds. */
export function ageOption(call: Call, option: string): number | undefined {
  const given = call.values.get(option);
  if (given === undefined) return undefined;
  const [, digits, unit = ''] = /^(\d{1,6})([a-z]+)$/.exec(given) ?? [];
  const factor = UNITS.get(unit);
  if (digits !== undefined && factor !== undefined) return Number(digits) * factor;
  throw new UsageError(`--${option} must be an age such as 12h, 30d or 2w, not "${given}"`);
}
