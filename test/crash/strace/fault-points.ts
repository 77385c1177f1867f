import { numberFrom, spread } from '../campaign.ts';
import { callSite, type FileCall } from './file-calls.ts';
import { type CallNumber, type FaultCode, READING_CALLS, WRITING_CALLS } from './strace.ts';

/** A call that is to fail, and how. */
export interface FaultPoint {
  readonly call: FileCall;
  readonly code: FaultCode;
}

const CODES: readonly FaultCode[] = ['EIO', 'ENOSPC', 'EACCES', 'EROFS', 'EMFILE'];

/** How many of them, where nothing is said. */
const USUAL = 60;

/**
 * Usually some of the first calls of each call site, the codes taking turns. With `each` in the environment every
 * call once; with a number past the usual ones, after those every call with every code.
 */
export function faultPoints(
  calls: readonly FileCall[],
  wanted: (point: FaultPoint) => boolean = () => true,
): FaultPoint[] {
  const sites = [...Map.groupBy(calls.filter(canFail), callSite).values()];
  const everyCall = (round: number): FaultPoint[] =>
    sites.flatMap((site, turn) =>
      site.map((call, at) => ({ call, code: codeAt(turn + at + round) })),
    );
  if (process.env.SAVEPOINT_FAULT_RUNS === 'each') return everyCall(0).filter(wanted);
  const usual = sites
    .flatMap(([call], turn) => (call === undefined ? [] : [{ call, code: codeAt(turn) }]))
    .filter(wanted);
  const count = numberFrom('SAVEPOINT_FAULT_RUNS', 0);
  if (count === 0) return spread(usual, USUAL);
  const others = count > usual.length ? CODES.flatMap((_, round) => everyCall(round)) : [];
  return [...usual, ...others.filter(wanted)].slice(0, count);
}

function codeAt(turn: number): FaultCode {
  return CODES[turn % CODES.length] ?? 'EIO';
}

function canFail({ file, name }: FileCall): boolean {
  return file !== null && (WRITING_CALLS.includes(name) || READING_CALLS.includes(name));
}

/** From this call on: the count of each thread's calls, by kind, at which a lasting fault begins. */
export function fromHereOn(
  calls: readonly FileCall[],
  start: FileCall,
  names: readonly string[],
): CallNumber[] {
  const at = calls.indexOf(start);
  const [earlier, later] = [calls.slice(0, at), calls.slice(at)];
  return (['main', 'pool'] as const).flatMap((thread) =>
    names.flatMap((name) => {
      const isOne = (call: FileCall): boolean => call.name === name && call.thread === thread;
      // With `write` threads also wake each other, and node ends itself where that fails, which no disk
      // brings about: so it is left out once no file is written by it any more.
      const scope = name === 'write' ? later : calls;
      if (!scope.some((call) => isOne(call) && call.file !== null)) return [];
      const before = earlier.findLast(isOne)?.nth ?? 0;
      return [{ thread, name, nth: before + 1 }];
    }),
  );
}
