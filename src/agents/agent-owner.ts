import { basename } from 'node:path';
import { processStat } from '../fs/process-stat.ts';
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
  if (owner === undefined || owner.words.includes('app-server')) return LEASE;
  return { processId: owner.id };
}

interface RunningProcess {
  readonly id: number;
  readonly name: string;
  readonly words: readonly string[];
}

/** The process and those that started it. The one with the number 1 takes over those whose parent has ended. */
function processesAbove(id: number, most: number): RunningProcess[] {
  const stat = id > 1 && most > 0 ? processStat(id) : null;
  if (stat === null) return [];
  const words = readFileOrNull(`/proc/${id}/cmdline`, {})?.toString().split('\0') ?? [];
  return [{ id, name: stat.name, words }, ...processesAbove(stat.parentId, most - 1)];
}

/** What a process may be called: an interpreter is known by its script. */
function namesOf({ name, words }: RunningProcess): string[] {
  return [name, ...words.slice(0, 2).map((word) => basename(word).replace(/\.[cm]?js$/, ''))];
}
