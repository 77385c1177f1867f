import { parseBytes } from '../config/index.ts';
import { UsageError } from '../terminal/usage-error.ts';
import type { Call } from './command.ts';

/** An option that takes a number of bytes, with a unit or without. */
export function sizeOption(call: Call, option: string): number | undefined {
  const given = call.values.get(option);
  if (given === undefined) return undefined;
  const bytes = parseBytes(given);
  if (bytes !== undefined) return bytes;
  throw new UsageError(`--${option} must be a size such as 500MB or 2GiB, not "${given}"`);
}
