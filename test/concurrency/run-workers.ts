import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeScratch, removeScratch } from '../e2e/scratch.ts';
import { problemsOf } from './check-timeline.ts';
import { openSharedStore } from './open-shared-store.ts';
import type { WorkerReport } from './report.ts';
import { startWorker, type WorkerProcess } from './worker-process.ts';

export interface WorkersOptions {
  readonly workers: number;
  readonly operations: number;
  readonly lock: boolean;
  /** The server that they keep the timeline on; left out, it is in a folder. */
  readonly server?: string;
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
  const workers: WorkerProcess<WorkerReport>[] = [];
  try {
    for (let n = 0; n < options.workers; n += 1) workers.push(start(base, `agent-${n}`, options));
    await Promise.all(workers.map(({ ready }) => ready));
    for (const { child } of workers) child.stdin.write('go\n');
    const reports = await Promise.all(workers.map(({ report }) => report));
    return await inspect(options.server ?? null, base, reports);
  } finally {
    for (const { child } of workers) child.kill('SIGKILL');
    removeScratch(base);
  }
}

async function inspect(
  server: string | null,
  base: string,
  reports: readonly WorkerReport[],
): Promise<WorkersResult> {
  const project = join(base, 'project');
  const store = await openSharedStore(project, join(base, 'home'), server);
  try {
    const problems = await problemsOf(store, project, reports);
    const { changes, operations } = await store.maintain('stats');
    return { problems, changes, operations };
  } finally {
    await store.close();
  }
}

function start(
  base: string,
  name: string,
  { operations, lock, server }: WorkersOptions,
): WorkerProcess<WorkerReport> {
  const places = [join(base, 'project'), join(base, 'home')];
  const args = [
    ...places,
    name,
    `${operations}`,
    lock ? 'lock' : 'no-lock',
    ...(server ? [server] : []),
  ];
  return startWorker(base, 'test/concurrency/worker.ts', ...args);
}
