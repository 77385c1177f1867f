import { hostname } from 'node:os';
import { readFile } from '../fs/read-file.ts';
import type { LivingOwner, ProcessOwner } from '../model/owner.ts';

let own: ProcessOwner | null = null;

/** This process. Made once, because it is needed before every edit. */
export function currentOwner(): ProcessOwner {
  own ??= processOwner(process.pid);
  return own;
}

/** A process of this machine. One that has ended already does not come to life when its id is used again. */
export function processOwner(processId: number): ProcessOwner {
  // The start is the field number 22 of /proc/PID/stat; the text begins with the third.
  const started = statOf(processId)?.[19] ?? (isRunning(processId) ? null : GONE);
  return { kind: 'process', host: hostname(), processId, started };
}

// No process starts at such a time.
const GONE = 'gone';

/** Whether the process is seen to run, on this machine. */
export function ownerRuns(owner: ProcessOwner): boolean {
  return owner.host === hostname() && owner.started !== null && processMayRun(owner);
}

/** Whether the owner may still be at work. True also when that cannot be found out. */
export function ownerMayRun(owner: LivingOwner, now: number): boolean {
  return owner.kind === 'lease' ? now < owner.until : processMayRun(owner);
}

/** As `ownerMayRun`, for a process. */
export function processMayRun({ host, processId, started }: ProcessOwner): boolean {
  if (host !== hostname()) return true;
  if (!isRunning(processId)) return false;
  const stat = statOf(processId);
  if (stat === null || started === null) return true;
  return stat[19] === started && !ENDED.includes(stat[0] ?? '');
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

// A process that has ended but whose parent has not asked for its exit code. In containers that can last.
const ENDED = ['Z', 'X'];

/** The fields of /proc/PID/stat from the process's state on; null where there is no /proc. */
function statOf(pid: number): string[] | null {
  try {
    const { bytes } = readFile(`/proc/${pid}/stat`);
    if (bytes === null) return null;
    const stat = bytes.toString();
    // The command name before may hold spaces and parentheses, so the fields count from its last one.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}
