import { UsageError } from '../terminal/usage-error.ts';
import type { Call, Option } from './command.ts';

const DEFAULT_LIMIT = 50;

export const LIMIT_OPTION: Option = {
  type: 'string',
  value: 'N',
  help: `how many to show, 0 for all (default: ${DEFAULT_LIMIT}, or all with --json)`,
};

/** Null: all. */
export function limitOf(call: Call): number | null {
  const given = call.values.get('limit');
  if (given === undefined) return call.json ? null : DEFAULT_LIMIT;
  if (!/^\d{1,9}$/.test(given))
    throw new UsageError(`--limit must be a number from 0 on, not "${given}"`);
  return Number(given) === 0 ? null : Number(given);
}
