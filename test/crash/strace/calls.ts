/** Who makes calls: the program itself, or the thread of node's pool that waits for the disk. */
export type Thread = 'main' | 'pool';

/** A system call as strace wrote it down. */
export interface Call {
  readonly name: string;
  readonly args: readonly string[];
  /** The value that it returned; negative when it failed. */
  readonly result: number;
  /** The result as it was written, where it is a descriptor with its path. */
  readonly opened: string | null;
  readonly thread: Thread;
  /** How many calls of this name this thread had made, up to and with this one. */
  readonly nth: number;
  /** When it began and ended, in seconds; 0 where that was not written down. */
  readonly began: number;
  readonly ended: number;
}

const TIME = /^(\d+\.\d+) /;
const DURATION = / <(\d+\.\d+)>$/;
const LINE = /^(\w+)\((.*)\)\s+= (-?\d+|0x[0-9a-f]+|\?)(<(?:\\x[0-9a-f]{2})*>)?/s;

/**
 * Where V8 looks up how many cores there are, once, when two of its threads first wait for each other: that happens in
 * one run of ten. A count with these calls would be too high for the other nine, and the last call could be missed.
 */
const MACHINE = Buffer.from('/sys/devices/system/cpu/').toString('hex').replace(/../g, '\\x$&');

/** Reads what strace wrote with -xx about one thread, with or without its times (-ttt, -T). */
export function parseCalls(log: string, thread: Thread = 'main'): Call[] {
  const counts = new Map<string, number>();
  const calls: Call[] = [];
  for (const line of log.split('\n')) {
    if (line.includes(MACHINE)) continue;
    const match = LINE.exec(line.replace(TIME, ''));
    // An exit of a call that was running when the tracer came, or the last one of all.
    if (match === null) continue;
    const [, name = '', args = '', result = '', path] = match;
    const nth = (counts.get(name) ?? 0) + 1;
    counts.set(name, nth);
    const began = Number(TIME.exec(line)?.[1] ?? 0);
    calls.push({
      name,
      args: splitArguments(args),
      result: Number(result === '?' ? -1 : result),
      opened: path === undefined ? null : result + path,
      thread,
      nth,
      began,
      ended: began + Number(DURATION.exec(line)?.[1] ?? 0),
    });
  }
  return calls;
}

/** The bytes of a string argument; with -xx every one of them is written as \xNN. */
export function bytesOf(argument: string | undefined): Buffer {
  const quoted = /^"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?$/.exec(argument ?? '');
  if (quoted === null || quoted[2] !== undefined)
    throw new Error(`not a whole string: ${argument}`);
  return Buffer.from((quoted[1] ?? '').replaceAll('\\x', ''), 'hex');
}

/** Splits at the commas that are not inside of a string, a structure or a list. */
function splitArguments(text: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let start = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (character === '{' || character === '[' || character === '(') depth += 1;
    else if (character === '}' || character === ']' || character === ')') depth -= 1;
    else if (character === ',' && depth === 0) {
      found.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  const last = text.slice(start).trim();
  return last === '' ? found : [...found, last];
}
