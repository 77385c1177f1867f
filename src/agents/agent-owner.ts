import { basename } from 'node:path';
import { type ProcessStat, processStat } from '../fs/process-stat.ts';
import { readFileOrNull } from '../fs/read-file.ts';
import type { OwnerRequest } from '../index.ts';
import type { AgentAdapter } from './agent-adapter.ts';

// For how long an agent counts as alive after each of its events, where its process cannot be told.
const LEASE_MS = 10 * 60 * 1000;
const LEASE: OwnerRequest = { leaseMs: LEASE_MS };

/** Programs that run another one and wait for it. */
const RUNS_OTHERS = /^(-?(ba|da|a|z|k|fi)?sh|timeout)$/;
const MOST_STEPS = 8;

/**
 * The process whose end ends the agent's work: the one that the agent names, else the nearest one above this hook that
 * runs the agent's program, else the parent of the hook, past the shell that runs the hook's command. A lease where
 * that is not the agent, or cannot be told.
 */
export function agentOwner(
  { name, parentIsAgent }: Pick<AgentAdapter, 'name' | 'parentIsAgent'>,
  { env, parentId }: { readonly env: NodeJS.ProcessEnv; readonly parentId: number },
): OwnerRequest {
  const named = name === 'claude-code' ? Number(env.CLAUDE_PID) : Number.NaN;
  if (Number.isSafeInteger(named) && named > 1 && processStat(named) !== null) {
    return { processId: named };
  }
  if (!parentIsAgent) return LEASE;
  const above = processesAbove(parentId, MOST_STEPS);
  const program = name === 'claude-code' ? 'claude' : name;
  // Something may stand between the two, such as a version manager that starts `savepoint`.
  const agent = above.find((one) => namesOf(one).includes(program));
  const owner = agent ?? above.find(({ name: parent }) => !RUNS_OTHERS.test(parent));
  if (owner === undefined || wordsOf(owner).includes('app-server')) return LEASE;
  return { processId: owner.id };
}

interface RunningProcess extends ProcessStat {
  readonly id: number;
}

/**
 * The process and those that started it; empty where there is no /proc. The one with the number 1 takes over those
 * whose parent has ended.
 */
export function processesAbove(id: number, most: number): RunningProcess[] {
  const stat = id > 1 && most > 0 ? processStat(id) : null;
  return stat === null ? [] : [{ ...stat, id }, ...processesAbove(stat.parentId, most - 1)];
}

/** What a process may be called: an interpreter is known by its script. */
function namesOf(running: RunningProcess): string[] {
  const words = wordsOf(running).slice(0, 2);
  return [running.name, ...words.map((word) => basename(word).replace(/\.[cm]?js$/, ''))];
}

function wordsOf({ id }: RunningProcess): string[] {
  return readFileOrNull(`/proc/${id}/cmdline`, {})?.toString().split('\0') ?? [];
}
