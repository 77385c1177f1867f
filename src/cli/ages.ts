import { UsageError } from '../terminal/usage-error.ts';
import type { Call } from './command.ts';
import { durationOf } from './durations.ts';

/** An option that takes an age: "12h", "30d", "2w". In milliseconds. */
export function ageOption(call: Call, option: string): number | undefined {
  const given = call.values.get(option);
  if (given === undefined) return undefined;
  const age = durationOf(given);
  if (age !== null) return age;
  throw new UsageError(`--${option} must be an age such as 12h, 30d or 2w, not "${given}"`);
}
