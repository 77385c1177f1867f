import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Names this process so that another one can tell later whether it still runs: host, process id and
 * the process's start, since ids are used again.
 */
export function currentOwner(): string {
  return `${hostname()}:${process.pid}:${startOf(process.pid) ?? ''}`;
}

/** Whether the named process may still run. When that cannot be told, it may. */
export function ownerMayRun(owner: string): boolean {
  const match = /^(.*):(\d+):(.*)$/.exec(owner);
  if (match === null || match[1] !== hostname()) return true;
  const pid = Number(match[2]);
  if (!isRunning(pid)) return false;
  const start = startOf(pid);
  return start === null || match[3] === '' || start === match[3];
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Start time in clock ticks since boot, from /proc; null where there is none. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command name may hold spaces and parentheses; fields count from behind its last one.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
