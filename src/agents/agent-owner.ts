import { processStat } from '../fs/process-stat.ts';
import { readFileOrNull } from '../fs/read-file.ts';
import type { OwnerRequest } from '../index.ts';
import type { AgentAdapter } from './agent-adapter.ts';

// For how long an agent counts as alive after each of its events, where its process cannot be told.
const LEASE_MS = 10 * 60 * 1000;
const LEASE: OwnerRequest = { leaseMs: LEASE_MS };

const SHELL = /^-?(ba|da|a|z|k|fi)?sh$/;
const MOST_SHELLS = 3;

/**
 * The process whose end ends the agent's work: the one that the agent names, else the parent of this hook, past
 * the shell that runs the hook's command. A lease where that is not the agent, or cannot be told.
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
  let processId = parentId;
  for (let shells = 0; shells < MOST_SHELLS; shells += 1) {
    const found = processStat(processId);
    // The process with the number 1 takes over those whose parent has ended.
    if (found === null || processId <= 1) return LEASE;
    if (!SHELL.test(found.name)) return isDaemon(processId) ? LEASE : { processId };
    processId = found.parentId;
  }
  return LEASE;
}

/** Codex serves programs by a process that outlives their sessions; its hooks are children of that one then. */
function isDaemon(processId: number): boolean {
  const words = readFileOrNull(`/proc/${processId}/cmdline`, {})?.toString().split('\0');
  return words?.includes('app-server') ?? false;
}
