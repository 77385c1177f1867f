import { hostname } from 'node:os';
import { readFile } from '../fs/read-file.ts';

let ownName: string | null = null;

/**
 * Names this process so that another one can tell later whether it still runs: host, process id and
 * the process's start, since ids are used again. Found out once: it is asked for before every edit.
 */
export function currentOwner(): string {
  ownName ??= `${hostname()}:${process.pid}:${startOf(process.pid) ?? ''}`;
  return ownName;
}

/** Where the named process runs, and under which number. */
export function placeOf(owner: string): { readonly host: string; readonly processId: number } {
  const [, host = owner, pid = '0'] = /^(.*):(\d+):(.*)$/.exec(owner) ?? [];
  return { host, processId: Number(pid) };
}

/** Whether the named process is seen to run, on this machine. */
export function ownerRuns(owner: string): boolean {
  const match = /^(.*):(\d+):(.*)$/.exec(owner);
  return match !== null && match[1] === hostname() && match[3] !== '' && ownerMayRun(owner);
}

/** Whether the named process may still run. When that cannot be told, it may. */
export function ownerMayRun(owner: string): boolean {
  const match = /^(.*):(\d+):(.*)$/.exec(owner);
  if (match === null || match[1] !== hostname()) return true;
  const pid = Number(match[2]);
  if (!isRunning(pid)) return false;
  const stat = statOf(pid);
  if (stat === null || match[3] === '') return true;
  return stat[19] === match[3] && !ENDED.includes(stat[0] ?? '');
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

// A process that has ended, and whose parent has not asked for its exit code: in containers that can take for ever.
const ENDED = ['Z', 'X'];

/** Start time in clock ticks since boot, from /proc; null where there is none. */
function startOf(pid: number): string | null {
  return statOf(pid)?.[19] ?? null;
}

/** What /proc says of a process, from its state on. */
function statOf(pid: number): string[] | null {
  try {
    const { bytes } = readFile(`/proc/${pid}/stat`);
    if (bytes === null) return null;
    const stat = bytes.toString();
    // The command name may hold spaces and parentheses; fields count from behind its last one.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}
