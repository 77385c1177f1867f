import { parseBytes } from '../config/index.ts';
import type { Call } from './command.ts';
import { UsageError } from './usage-error.ts';

const UNITS = ['kB', 'MB', 'GB', 'TB'] as const;

/** "512 bytes", "1.4 kB", "20.1 MB" */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`;
  const power = Math.min(UNITS.length, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toFixed(1)} ${UNITS[power - 1]}`;
}

/** An option that takes a number of bytes, with a unit or without. */
export function sizeOption(call: Call, option: string): number | undefined {
  const given = call.values.get(option);
  if (given === undefined) return undefined;
  const bytes = parseBytes(given);
  if (bytes !== undefined) return bytes;
  throw new UsageError(`--${option} must be a size such as 500MB or 2GiB, not "${given}"`);
}
