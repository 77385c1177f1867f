import { hostname } from 'node:os';
import { processStat } from '../../fs/process-stat.ts';
import type { Savepoint, Session } from '../../index.ts';

/**
 * The session of the agent that started this server: the one named, or else that of the nearest process above this
 * one that is an agent. Null where nobody can tell, also because that process has several sessions.
 */
export async function askingSession(
  savepoint: Savepoint,
  named: string | undefined,
): Promise<string | null> {
  if (named !== undefined) return (await savepoint.resolveSession(named)).id;
  const sessions = await savepoint.sessions();
  for (const above of processesAbove(process.ppid)) {
    const [first, ...others] = sessions.filter((session) => isOf(session, above));
    if (first !== undefined) return others.length === 0 ? first.id : null;
  }
  return null;
}

function isOf({ owner }: Session, { id, started }: RunningProcess): boolean {
  return (
    owner?.kind === 'process' &&
    owner.host === hostname() &&
    owner.processId === id &&
    owner.started === started
  );
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
