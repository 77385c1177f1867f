import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runChild } from '../child/run-child.ts';
import type { ChildReport, Step } from '../child/steps.ts';
import type { Place } from '../scenario/place.ts';
import { bytesOf, type Call, parseCalls } from './calls.ts';
import { changesFiles, type FileCall, nameFiles } from './file-calls.ts';
import { type CallNumber, killing, recorder, WRITING_CALLS } from './strace.ts';

/** What one run did to the files of a place, from "go" to its end. */
export interface Recording {
  readonly calls: readonly FileCall[];
  readonly reports: readonly ChildReport[];
}

/** Runs the steps once under strace, on the place itself; to the end, or until a kill. */
export async function record(
  scratch: string,
  place: Place,
  steps: readonly Step[],
  kill?: CallNumber,
): Promise<Recording> {
  // A count holds for each thread that is traced, and all of them are.
  if (kill?.thread === 'pool') throw new Error('a recording cannot end with a call of the pool');
  const logs = mkdtempSync(join(scratch, 'logs-'));
  try {
    const order = { project: place.project, home: place.home, steps };
    const main = [...recorder(join(logs, 'thread')), ...(kill ? killing(kill) : [])];
    const { reports, ended, complaints } = await runChild({ order, scratch, tracers: { main } });
    const fails = steps.some((step) => step.do === 'sabotage');
    const asOrdered = kill !== undefined || reports.some(({ say }) => say === 'failed') === fails;
    if (ended === (kill !== undefined) || !asOrdered) {
      throw new Error(`the run to be recorded failed: ${JSON.stringify(reports)} ${complaints}`);
    }
    const ready = reports.find((line) => line.say === 'ready');
    return {
      calls: readLogs(logs, place.folder, { main: ready?.pid, pool: ready?.pool }),
      reports,
    };
  } finally {
    rmSync(logs, { recursive: true });
  }
}

/** What all threads did, in the order in which it happened, up to the last report. */
function readLogs(
  logs: string,
  folder: string,
  { main, pool }: { main?: number | undefined; pool?: number | null | undefined },
): FileCall[] {
  const threads = readdirSync(logs).map((name) => {
    const id = Number(name.slice('thread.'.length));
    const log = readFileSync(join(logs, name), 'latin1');
    return { id, calls: parseCalls(log, id === pool ? 'pool' : 'main') };
  });
  const ours = threads.filter(({ id }) => id === main || id === pool);
  const inOrder = ours.flatMap(({ calls }) => calls).sort((a, b) => a.began - b.began);
  const end = inOrder.findIndex(isEnd);
  const calls = nameFiles(end === -1 ? inOrder : inOrder.slice(0, end), folder);
  const others = threads.filter((thread) => !ours.includes(thread));
  refuseOtherThreads(others.flatMap((thread) => nameFiles(thread.calls, folder)));
  refuseImpatience(calls);
  refuseLoading(calls);
  return calls;
}

/** Past its last report the process only ends, and writes down what it compiled. */
function isEnd(call: Call): boolean {
  return reportIn(call)?.say === 'end';
}

/** The report that a call sends to the parent, or null. */
export function reportIn(call: Call): ChildReport | null {
  if (call.name !== 'writev' || !/^1\b/.test(call.args[0] ?? '')) return null;
  const parts = call.args[1]?.match(/(?<=iov_base=)"[^"]*"/g) ?? [];
  return JSON.parse(Buffer.concat(parts.map(bytesOf)).toString()) as ChildReport;
}

/**
 * Files are touched by the program's own thread; the pool, which has one thread here, only syncs them, and
 * closes what was held until its name was gone.
 */
function refuseOtherThreads(calls: readonly FileCall[]): void {
  const touched = calls.find(({ file }) => file !== null);
  if (touched) throw new Error(`another thread touched ${touched.file}: ${touched.name}`);
}

/** What changes while the pool syncs may be in that sync or not: nobody may rely on it. */
function refuseImpatience(calls: readonly FileCall[]): void {
  const onPool = calls.filter(({ thread, file }) => thread === 'pool' && file !== null);
  const other = onPool.find(({ name }) => name !== 'fsync' && name !== 'close');
  const syncs = onPool.filter(({ name }) => name === 'fsync');
  if (other) throw new Error(`the pool touched ${other.file}: ${other.name}`);
  for (const call of calls) {
    if (call.thread === 'pool' || !changesFiles(call, WRITING_CALLS)) continue;
    const sync = syncs.find(({ began, ended }) => began < call.ended && call.began < ended);
    if (sync)
      throw new Error(`${call.name} on ${call.file} did not wait for the sync of ${sync.file}`);
  }
}

/**
 * Faults would hit code that is loaded meanwhile. Node also reads its compiled form from the second run on, so that a
 * fault in the forty-sixth read would hit another file than the one that was recorded.
 */
function refuseLoading(calls: readonly Call[]): void {
  const isCode = ({ name, args }: Call): boolean =>
    name === 'openat' && bytesOf(args[1]).toString().endsWith('.js');
  const loading = calls.find(isCode);
  if (loading) throw new Error(`code was loaded under the tracer: ${bytesOf(loading.args[1])}`);
}
