import type { PlanOptions } from '../index.ts';
import { type Call, type Option, oneOf } from './command.ts';

/** Options of everything that makes a plan and carries it out. */
export const PLAN_OPTIONS: Readonly<Record<string, Option>> = {
  'dry-run': { type: 'boolean', help: 'show what would be done, and do nothing' },
  'on-conflict': {
    type: 'string',
    value: 'WHAT',
    help: 'settle conflicts: keep what is there, restore all the same, or fail (default: leave them)',
    completes: ['keep', 'restore', 'fail'],
  },
  force: { type: 'boolean', help: 'go ahead although a tool call of the session is still running' },
};

/** For what takes back changes of commands. */
export const INCLUDE_SHARED: Option = {
  type: 'boolean',
  help: 'also take back changes of which it is not certain who made them',
};

export function planOptions(call: Call): PlanOptions {
  return {
    onConflict: oneOf(call, 'on-conflict', ['keep', 'restore', 'fail']),
    force: call.flags.has('force'),
  };
}
