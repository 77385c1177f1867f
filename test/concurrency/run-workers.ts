import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { sqliteStore, storeDirectory } from '../../src/index.ts';
import { makeScratch, removeScratch } from '../e2e/scratch.ts';
import { builtProgram } from '../setup/built.ts';
import { problemsOf } from './check-timeline.ts';
import type { WorkerReport } from './report.ts';

type Worker = ChildProcessByStdio<Writable, Readable, null>;

export interface WorkersOptions {
  readonly workers: number;
  readonly operations: number;
  readonly lock: boolean;
}

export interface WorkersResult {
  readonly problems: string[];
  readonly changes: number;
  readonly operations: number;
}

/** Lets several processes loose on one project at the same moment, and looks at what they left. */
export async function runWorkers(options: WorkersOptions): Promise<WorkersResult> {
  const base = makeScratch();
  const project = join(base, 'project');
  mkdirSync(join(project, 'shared'), { recursive: true });
  const children: Worker[] = [];
  try {
    for (let n = 0; n < options.workers; n += 1) children.push(start(base, `agent-${n}`, options));
    const lines = children.map(linesOf);
    await Promise.all(lines.map((line) => line.ready));
    for (const child of children) child.stdin.write('go\n');
    const reports = await Promise.all(lines.map((line) => line.report));
    return await inspect(base, project, reports);
  } finally {
    for (const child of children) child.kill('SIGKILL');
    removeScratch(base);
  }
}

async function inspect(
  base: string,
  project: string,
  reports: readonly WorkerReport[],
): Promise<WorkersResult> {
  const directory = storeDirectory(join(base, 'home'), project);
  const store = await sqliteStore({ directory, create: false });
  try {
    const problems = await problemsOf(store, project, reports);
    const { changes, operations } = await store.maintain('stats');
    return { problems, changes, operations };
  } finally {
    await store.close();
  }
}

function start(base: string, name: string, { operations, lock }: WorkersOptions): Worker {
  const script = builtProgram('test/concurrency/worker.ts');
  const places = [join(base, 'project'), join(base, 'home')];
  const args = [script, ...places, name, `${operations}`, lock ? 'lock' : 'no-lock'];
  const env = { PATH: process.env.PATH ?? '', HOME: base };
  return spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
}

/** A worker says that it is ready, and at its end what it did. */
function linesOf(child: Worker): { ready: Promise<void>; report: Promise<WorkerReport> } {
  let said = '';
  const ready = Promise.withResolvers<void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (said.startsWith('ready\n')) ready.resolve();
  });
  const report = once(child, 'close').then(([code]) => {
    ready.reject(new Error(`a worker ended early (${code})`));
    return JSON.parse(said.slice('ready\n'.length)) as WorkerReport;
  });
  return { ready: ready.promise, report };
}
