import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { builtProgram } from '../../setup/built.ts';
import type { Thread } from '../strace/calls.ts';
import type { ChildOrder, ChildReport } from './steps.ts';

const PROGRAM = builtProgram('test/crash/child/program.ts');

// Far past anything that is not stuck.
const PATIENCE_MS = 60_000;

/**
 * Starts the child, and beside it, once it waits, a tracer for one or both of its threads: an empty line
 * stands for none. Each shell turns itself into a tracer, so that the child descends from it: Linux may be
 * set to let nobody else look into a process. The words of a tracer are lines.
 */
const TRACED = `
  set -f; IFS='
'
  (
    "$SAVEPOINT_CRASH_NODE" --no-concurrent-sparkplug "$SAVEPOINT_CRASH_PROGRAM" <&3 2>&4 5<&- &
    read -r pool <&5
    if [ -n "$pool" ]; then exec $2 -p "$pool"; fi
    wait
  ) &
  read -r main
  if [ -n "$main" ]; then exec $1 -p "$main"; fi
  wait`;

const LIMITED = `
  ulimit -n "$1" &&
  exec "$SAVEPOINT_CRASH_NODE" --no-concurrent-sparkplug "$SAVEPOINT_CRASH_PROGRAM" <&3 2>&4`;

export type Tracers = Readonly<Partial<Record<Thread, readonly string[]>>>;

export interface ChildOptions {
  readonly order: ChildOrder;
  /** The child's home. */
  readonly scratch: string;
  /** For each thread to be traced the tracer and its arguments, without the thread's id. */
  readonly tracers?: Tracers;
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
  const { tracers, descriptors } = options;
  const [script, words] =
    tracers === undefined
      ? [LIMITED, [String(descriptors ?? 4096)]]
      : [TRACED, [tracers.main, tracers.pool].map((tracer) => tracer?.join('\n') ?? '')];
  const shell = spawn('sh', ['-c', script, 'sh', ...words], {
    cwd: options.scratch,
    env: environment(options),
    stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
  });
  const pids = shell.pid === undefined ? [] : [shell.pid];
  const watchdog = setTimeout(() => endAll(shell, pids), PATIENCE_MS);
  try {
    return await converse(shell, tracers ?? {}, pids);
  } finally {
    clearTimeout(watchdog);
  }
}

async function converse(
  shell: ChildProcess,
  tracers: Tracers,
  pids: number[],
): Promise<ChildOutcome> {
  const [toShell, reportsFrom, messages, toChild, complaintsFrom, toInner] =
    shell.stdio as unknown as [Writable, Readable, Readable, Writable, Readable, Writable];
  const traced = Object.keys(tracers).length;
  // A process that was killed does not read its input any more, and that is no failure of ours.
  for (const stream of [toShell, toInner, toChild]) stream.on('error', () => undefined);
  const reports: ChildReport[] = [];
  const lines = createInterface({ input: reportsFrom }).on('line', (line) => {
    const report = JSON.parse(line) as ChildReport;
    reports.push(report);
    // A child that broke off before it was ready leaves nothing to trace.
    if (report.say === 'end') for (const stream of [toShell, toInner]) sendLine(stream);
    if (report.say !== 'ready') return;
    pids.push(report.pid);
    if (traced === 0) return sendLine(toChild);
    sendLine(toShell, tracers.main && report.pid);
    sendLine(toInner, tracers.pool && report.pool);
  });
  const tracerSays = textOf(messages, (text) => {
    // A tracer that could not attach is gone already; the child must not wait for it.
    if (attachedIn(text) >= traced || /ptrace\(/.test(text)) sendLine(toChild);
  });
  shell.once('exit', () => sendLine(toChild));
  const complaints = textOf(complaintsFrom);
  const exited = new Promise((resolve) => shell.once('close', resolve));
  await Promise.all([exited, new Promise((resolve) => lines.once('close', resolve))]);
  for (const stream of [toShell, toInner, toChild]) stream.destroy();
  refuseUntraced(traced, reports, tracerSays());
  return { reports, ended: reports.at(-1)?.say === 'end', complaints: complaints() };
}

/** The one line that somebody waits for. */
function sendLine(stream: Writable, word: number | null | undefined = null): void {
  if (!stream.writableEnded) stream.end(`${word ?? ''}\n`);
}

function attachedIn(says: string): number {
  return says.match(/Process \d+ attached/g)?.length ?? 0;
}

/** A tracer that could not attach would make every test of a kill pass. */
function refuseUntraced(traced: number, reports: readonly ChildReport[], says: string): void {
  const waited = reports.some((report) => report.say === 'ready');
  if (waited && attachedIn(says) < traced) throw new Error(`strace failed: ${says}`);
}

function textOf(stream: Readable, look: (text: string) => void = () => undefined): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    look(text);
  });
  return () => text;
}

function environment({ order, scratch, tracers }: ChildOptions): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    HOME: scratch,
    // What goes through a ring is no call that a tracer could see.
    UV_USE_IO_URING: '0',
    // One thread beside the main one: its calls come in one order, and can be counted.
    ...(tracers && { UV_THREADPOOL_SIZE: '1' }),
    // Only the runs after the first would read compiled code from a cache, and count other calls than the first.
    NODE_DISABLE_COMPILE_CACHE: '1',
    SAVEPOINT_CRASH_NODE: process.execPath,
    SAVEPOINT_CRASH_PROGRAM: PROGRAM,
    SAVEPOINT_CRASH_ORDER: JSON.stringify(order),
  };
}

function endAll(shell: ChildProcess, pids: readonly number[]): void {
  // Who still waits for a line sees the end of its input.
  for (const stream of shell.stdio) stream?.destroy();
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Gone already.
    }
  }
}
