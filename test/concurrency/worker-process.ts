import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { builtProgram } from '../setup/built.ts';
import type { Program } from '../setup/programs.ts';

/** A worker says that it is ready, waits for a line, and says at its end as JSON what it did. */
export interface WorkerProcess<Report> {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly ready: Promise<void>;
  readonly report: Promise<Report>;
}

const READY = 'ready\n';
const LAST_WORDS = 4_000;

/** A worker that fails rejects both promises, with the end of what it wrote to standard error. */
export function startWorker<Report>(
  home: string,
  script: Program,
  ...args: string[]
): WorkerProcess<Report> {
  const child = spawn(process.execPath, ['--no-warnings', builtProgram(script), ...args], {
    env: { PATH: process.env.PATH ?? '', HOME: home },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let said = '';
  let complaint = '';
  const ready = Promise.withResolvers<void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (said.startsWith(READY)) ready.resolve();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-LAST_WORDS);
  });
  const report = once(child, 'close').then(([code, signal]) => {
    const failure = new Error(`${script} ended early (${code ?? signal}): ${complaint}`);
    ready.reject(failure);
    if (code !== 0) throw failure;
    return JSON.parse(said.slice(READY.length)) as Report;
  });
  // Somebody who waits for the worker to be ready hears of it there.
  report.catch(() => undefined);
  return { child, ready: ready.promise, report };
}
