import { checkId } from '../model/check.ts';
import { SavepointError } from '../model/errors.ts';
import type { Execution } from '../model/execution.ts';
import { touchSession } from '../timeline/sessions.ts';
import type { ExecutionSite } from './execution-site.ts';
import { EXECUTION_AGENT, newExecution, notFound } from './lease.ts';
import { readLog } from './step-log.ts';

export interface ForkRequest {
  /** The last step that the new one has in common with the old one. */
  readonly at: number;
  /** The new one's id. */
  readonly as: string;
}

/**
 * A new execution that has the first steps of another one behind it, with their results and their state.
 * Files are left as they are, and what those steps did to them stays the other one's.
 */
export function forkExecution(
  site: ExecutionSite,
  id: string,
  { at, as }: ForkRequest,
): Promise<Execution> {
  checkId('as', as);
  return site.write(async (draft, now) => {
    if ((await site.store.execution(id)) === null) throw notFound(id);
    if ((await site.store.execution(as)) !== null) {
      throw new SavepointError('execution-exists', `there is an execution ${as} already`);
    }
    const log = await readLog(site.store, id);
    const last = log.at(at);
    const fork = { ...newExecution(as, now), parentId: id, parentStep: last.index };
    await touchSession(draft, site.store, { id: fork.sessionId, agent: EXECUTION_AGENT }, now);
    draft.executions.push(fork);
    for (const step of log.live.slice(0, at + 1)) {
      const taken = { attempt: 1, checkpointId: null, rolledBackBy: null };
      draft.steps.push({ ...step, ...taken, executionId: as });
    }
    return fork;
  });
}
