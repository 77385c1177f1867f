import { callSite, type FileCall } from './file-calls.ts';
import { type FaultCode, READING_CALLS, WRITING_CALLS } from './strace.ts';

/** A call that is to fail, and how. */
export interface FaultPoint {
  readonly call: FileCall;
  readonly code: FaultCode;
}

const CODES: readonly FaultCode[] = ['EIO', 'ENOSPC', 'EACCES', 'EROFS', 'EMFILE'];

/**
 * Every call with every code, in an order of which any beginning is worth running: each call site once
 * before any of them twice, the codes taking turns.
 */
export function faultPoints(calls: readonly FileCall[]): FaultPoint[] {
  const bySite = Map.groupBy(calls.filter(canFail), callSite);
  const rounds: FaultPoint[][] = [];
  for (const [turn, siteCalls] of [...bySite.values()].entries()) {
    for (const [occurrence, call] of siteCalls.entries()) {
      for (const round of CODES.keys()) {
        const code = CODES[(turn + round) % CODES.length] as FaultCode;
        const row = occurrence * CODES.length + round;
        rounds[row] = [...(rounds[row] ?? []), { call, code }];
      }
    }
  }
  return rounds.flat();
}

export function canFail({ file, name }: FileCall): boolean {
  return file !== null && (WRITING_CALLS.includes(name) || READING_CALLS.includes(name));
}

/** From this call on: the count of each kind of call at which a lasting fault begins. */
export function fromHereOn(
  calls: readonly FileCall[],
  start: FileCall,
  names: readonly string[],
): { name: string; nth: number }[] {
  const earlier = calls.slice(0, calls.indexOf(start));
  return names.flatMap((name) => {
    if (!calls.some((call) => call.name === name)) return [];
    const before = earlier.findLast((call) => call.name === name)?.nth ?? 0;
    return [{ name, nth: before + 1 }];
  });
}
