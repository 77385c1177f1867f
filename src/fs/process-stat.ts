import { readFile } from './read-file.ts';

/** A process as the kernel shows it. */
export interface ProcessStat {
  readonly name: string;
  /** One letter: "R" for running, "Z" for ended and not yet asked for its exit code. */
  readonly state: string;
  readonly parentId: number;
  /** When it started, in the host's own terms. */
  readonly started: string | null;
}

/** Null where there is no such process, or no /proc to look at. */
export function processStat(id: number): ProcessStat | null {
  try {
    const { bytes } = readFile(`/proc/${id}/stat`);
    return bytes === null ? null : parsed(bytes.toString());
  } catch {
    return null;
  }
}

function parsed(stat: string): ProcessStat {
  // The name may hold spaces and parentheses, so the fields after it count from its last one.
  const end = stat.lastIndexOf(')');
  const [state = '', parentId, ...rest] = stat.slice(end + 2).split(' ');
  const name = stat.slice(stat.indexOf('(') + 1, end);
  // The start is the field number 22, and the state is the third.
  return { name, state, parentId: Number(parentId), started: rest[17] ?? null };
}

/** Whether there is a process with this number. It may be another one than it was. */
export function isProcess(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
