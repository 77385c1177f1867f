import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { ChildOrder, ChildReport } from './steps.ts';

const PROGRAM = fileURLToPath(new URL('program.ts', import.meta.url));

// Far past anything that is not stuck.
const PATIENCE_MS = 60_000;

/**
 * Starts the child, and the tracer beside it once it waits. The shell turns itself into the tracer, so
 * that the child descends from it: Linux may be set to let nobody else look into a process.
 */
const TRACED = `
  "$SAVEPOINT_CRASH_NODE" "$SAVEPOINT_CRASH_PROGRAM" <&3 2>&4 &
  read -r go
  exec "$@" -p $!`;

const LIMITED = `
  ulimit -n "$1" &&
  exec "$SAVEPOINT_CRASH_NODE" "$SAVEPOINT_CRASH_PROGRAM" <&3 2>&4`;

export interface ChildOptions {
  readonly order: ChildOrder;
  /** Where the child's own cache and home are. */
  readonly scratch: string;
  /** The tracer and its arguments, without the process id. */
  readonly tracer?: readonly string[];
  /** How many file descriptors the child may have. */
  readonly descriptors?: number;
}

export interface ChildOutcome {
  readonly reports: readonly ChildReport[];
  /** False when the process was killed or broke off before its last step. */
  readonly ended: boolean;
  /** What the child wrote to standard error, which it should not. */
  readonly complaints: string;
}

/** Runs one child to its end, whatever that is. */
export async function runChild(options: ChildOptions): Promise<ChildOutcome> {
  const { tracer, descriptors } = options;
  const [script, words] =
    tracer === undefined ? [LIMITED, [String(descriptors ?? 4096)]] : [TRACED, tracer];
  const shell = spawn('sh', ['-c', script, 'sh', ...words], {
    cwd: options.scratch,
    env: environment(options),
    stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
  });
  const pids = shell.pid === undefined ? [] : [shell.pid];
  const watchdog = setTimeout(() => endAll(pids), PATIENCE_MS);
  try {
    return await converse(shell, tracer !== undefined, pids);
  } finally {
    clearTimeout(watchdog);
  }
}

async function converse(
  shell: ChildProcess,
  traced: boolean,
  pids: number[],
): Promise<ChildOutcome> {
  const [toShell, reportsFrom, messages, toChild, complaintsFrom] = shell.stdio as unknown as [
    Writable,
    Readable,
    Readable,
    Writable,
    Readable,
  ];
  // A process that was killed does not read its input any more, and that is no failure of ours.
  for (const stream of [toShell, toChild]) stream.on('error', () => undefined);
  const reports: ChildReport[] = [];
  const lines = createInterface({ input: reportsFrom }).on('line', (line) => {
    const report = JSON.parse(line) as ChildReport;
    reports.push(report);
    if (report.say !== 'ready') return;
    pids.push(report.pid);
    sendLine(traced ? toShell : toChild);
  });
  const tracerSays = textOf(messages, (text) => {
    if (/Process \d+ attached/.test(text)) sendLine(toChild);
  });
  // A tracer that could not attach is gone already; the child must not wait for it.
  shell.once('exit', () => sendLine(toChild));
  const complaints = textOf(complaintsFrom);
  const exited = new Promise((resolve) => shell.once('close', resolve));
  await Promise.all([exited, new Promise((resolve) => lines.once('close', resolve))]);
  toShell.destroy();
  toChild.destroy();
  refuseUntraced(traced, reports, tracerSays());
  return { reports, ended: reports.at(-1)?.say === 'end', complaints: complaints() };
}

/** The one line that somebody waits for. */
function sendLine(stream: Writable): void {
  if (!stream.writableEnded) stream.end('\n');
}

/** A tracer that could not attach would make every test of a kill pass. */
function refuseUntraced(traced: boolean, reports: readonly ChildReport[], says: string): void {
  const waited = reports.some((report) => report.say === 'ready');
  if (traced && waited && !/attached/.test(says)) throw new Error(`strace failed: ${says}`);
}

function textOf(stream: Readable, look: (text: string) => void = () => undefined): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    look(text);
  });
  return () => text;
}

function environment({ order, scratch }: ChildOptions): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    HOME: scratch,
    // What goes through a ring is no call that a tracer could see.
    UV_USE_IO_URING: '0',
    // Most of a child's life is loading TypeScript; this halves it.
    NODE_COMPILE_CACHE: `${scratch}/compile-cache`,
    SAVEPOINT_CRASH_NODE: process.execPath,
    SAVEPOINT_CRASH_PROGRAM: PROGRAM,
    SAVEPOINT_CRASH_ORDER: JSON.stringify(order),
  };
}

function endAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Gone already.
    }
  }
}
