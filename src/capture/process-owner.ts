import { hostname } from 'node:os';
import { isProcess, processStat } from '../fs/process-stat.ts';
import type { LivingOwner, ProcessOwner } from '../model/owner.ts';

let own: ProcessOwner | null = null;

/** This process. Made once, because it is needed before every edit. */
export function currentOwner(): ProcessOwner {
  own ??= processOwner(process.pid);
  return own;
}

/** A process of this machine. One that has ended already does not come to life when its id is used again. */
export function processOwner(processId: number): ProcessOwner {
  const started = processStat(processId)?.started ?? (isProcess(processId) ? null : GONE);
  return { kind: 'process', host: hostname(), processId, started };
}

// No process starts at such a time.
const GONE = 'gone';

/** Whether the process is seen to run, on this machine. */
export function ownerRuns(owner: ProcessOwner): boolean {
  return owner.host === hostname() && owner.started !== null && processMayRun(owner);
}

// A container that was made anew has another name, and whoever died in the old one must not be waited for.
const ELSEWHERE_MS = 24 * 60 * 60 * 1000;

/**
 * Whether the owner may still be at work, of which the last sign came at `since`. True also when that cannot be found
 * out, but of a process on another machine for a day only.
 */
export function ownerMayRun(
  owner: LivingOwner,
  { since, now }: { readonly since: number; readonly now: number },
): boolean {
  if (owner.kind === 'lease') return now < owner.until;
  if (owner.host !== hostname()) return now < since + ELSEWHERE_MS;
  return processMayRun(owner);
}

/** As `ownerMayRun`, for a process. */
export function processMayRun({ host, processId, started }: ProcessOwner): boolean {
  if (host !== hostname()) return true;
  if (!isProcess(processId)) return false;
  const stat = processStat(processId);
  if (stat === null || started === null) return true;
  return stat.started === started && !ENDED.includes(stat.state);
}

// A process that has ended but whose parent has not asked for its exit code. In containers that can last.
const ENDED = ['Z', 'X'];
