import { hostname } from 'node:os';
import { processStat } from '../../fs/process-stat.ts';
import type { Savepoint, Session } from '../../index.ts';

/**
 * The session of the agent that started this server: the one named, or else the newest one whose agent is a
 * process above this one. Null where nobody can tell.
 */
export async function askingSession(
  savepoint: Savepoint,
  named: string | undefined,
): Promise<string | null> {
  if (named !== undefined) return (await savepoint.resolveSession(named)).id;
  const above = new Map(processesAbove(process.ppid).map(({ id, started }) => [id, started]));
  const isAbove = ({ owner }: Session): boolean =>
    owner?.kind === 'process' &&
    owner.host === hostname() &&
    above.get(owner.processId) === owner.started;
  const [newest] = (await savepoint.sessions())
    .filter(isAbove)
    .sort((a, b) => b.lastActiveAt - a.lastActiveAt);
  return newest?.id ?? null;
}

interface RunningProcess {
  readonly id: number;
  readonly started: string | null;
}

/** The process and those that started it, up to the first one. Empty where there is no /proc. */
function processesAbove(id: number): RunningProcess[] {
  const stat = id > 1 ? processStat(id) : null;
  return stat === null ? [] : [{ id, started: stat.started }, ...processesAbove(stat.parentId)];
}
