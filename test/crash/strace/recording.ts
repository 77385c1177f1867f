import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runChild } from '../child/run-child.ts';
import type { ChildReport, Step } from '../child/steps.ts';
import type { Place } from '../scenario/place.ts';
import { bytesOf, type Call, parseCalls } from './calls.ts';
import { type FileCall, nameFiles } from './file-calls.ts';
import { type CallNumber, killing, recorder } from './strace.ts';

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
  const logs = mkdtempSync(join(scratch, 'logs-'));
  try {
    const order = { project: place.project, home: place.home, steps };
    const tracer = [...recorder(join(logs, 'thread')), ...(kill ? killing(kill) : [])];
    const { reports, ended, complaints } = await runChild({ order, scratch, tracer });
    const fails = steps.some((step) => step.do === 'sabotage');
    const asOrdered = kill !== undefined || reports.some(({ say }) => say === 'failed') === fails;
    if (ended === (kill !== undefined) || !asOrdered) {
      throw new Error(`the run to be recorded failed: ${JSON.stringify(reports)} ${complaints}`);
    }
    const [pid] = reports.flatMap((line) => (line.say === 'ready' ? [line.pid] : []));
    const main = `thread.${pid}`;
    const others = readdirSync(logs).filter((name) => name !== main);
    refuseOtherThreads(others.flatMap((name) => readThread(join(logs, name), place.folder)));
    return { calls: readThread(join(logs, main), place.folder), reports };
  } finally {
    rmSync(logs, { recursive: true });
  }
}

function readThread(log: string, folder: string): FileCall[] {
  const calls = parseCalls(readFileSync(log, 'latin1'));
  const end = calls.findIndex(isEnd);
  return nameFiles(end === -1 ? calls : calls.slice(0, end), folder);
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

/** Calls are counted for each thread: were files touched by several, the counts would say nothing. */
function refuseOtherThreads(calls: readonly FileCall[]): void {
  const touched = calls.find(({ file }) => file !== null);
  if (touched) throw new Error(`another thread touched ${touched.file}: ${touched.name}`);
}
