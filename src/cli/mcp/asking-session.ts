import { hostname } from 'node:os';
import { readFile } from '../../fs/read-file.ts';
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
  /** In the host's own terms, as an owner on record has it. */
  readonly started: string | null;
}

/** The process and those that started it, up to the first one. Empty where there is no /proc. */
function processesAbove(id: number): RunningProcess[] {
  const found: RunningProcess[] = [];
  for (let next = id; next > 1; ) {
    const { bytes } = readFile(`/proc/${next}/stat`);
    if (bytes === null) break;
    const stat = bytes.toString();
    // The name before may hold spaces and parentheses. After it: state, parent, and 18 fields on the start.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    found.push({ id: next, started: fields[19] ?? null });
    next = Number(fields[1]);
  }
  return found;
}
