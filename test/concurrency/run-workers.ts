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
  /** The URL of the server that they keep the timeline on; left out, it is in a folder. */
  readonly server?: string;
  /** How many of them are alone on a machine, with a home and a worktree of their own. */
  readonly alone?: number;
}

export interface WorkersResult {
  readonly problems: string[];
  readonly changes: number;
  readonly operations: number;
}

/** Lets several processes loose on one project at the same moment, and looks at what they left. */
export async function runWorkers(options: WorkersOptions): Promise<WorkersResult> {
  const base = makeScratch();
  const workers: Working[] = [];
  try {
    for (let n = 0; n < options.workers; n += 1) workers.push(start(base, n, options));
    await Promise.all(workers.map(({ ready }) => ready));
    for (const { child } of workers) child.stdin.write('go\n');
    await Promise.all(workers.map(({ report }) => report));
    const found: WorkersResult[] = [];
    for (const [machine, those] of Map.groupBy(workers, (worker) => worker.machine)) {
      const reports = await Promise.all(those.map(({ report }) => report));
      found.push(await inspect(options, base, machine, reports));
    }
    return {
      problems: found.flatMap(({ problems }) => problems),
      changes: found.reduce((sum, { changes }) => sum + changes, 0),
      operations: found.reduce((sum, { operations }) => sum + operations, 0),
    };
  } finally {
    for (const { child } of workers) child.kill('SIGKILL');
    removeScratch(base);
  }
}

interface Working extends WorkerProcess<WorkerReport> {
  /** The folder that stands for the machine. */
  readonly machine: string;
}

async function inspect(
  { server }: WorkersOptions,
  base: string,
  machine: string,
  reports: readonly WorkerReport[],
): Promise<WorkersResult> {
  const project = join(machine, 'project');
  const place = server === undefined ? null : { url: server, name: base };
  const store = await openSharedStore(project, join(machine, 'home'), place);
  try {
    const problems = await problemsOf(store, project, reports);
    const { changes, operations } = await store.maintain('stats');
    return { problems, changes, operations };
  } finally {
    await store.close();
  }
}

function start(base: string, nth: number, options: WorkersOptions): Working {
  const { workers, operations, lock, server, alone = 0 } = options;
  const machine = join(base, nth < workers - alone ? 'machine' : `machine-${nth}`);
  mkdirSync(join(machine, 'project', 'shared'), { recursive: true });
  const places = [join(machine, 'project'), join(machine, 'home')];
  const words = [`agent-${nth}`, `${operations}`, lock ? 'lock' : 'no-lock'];
  const onServer = server === undefined ? [] : [server, base];
  const args = [...places, ...words, ...onServer];
  return { ...startWorker(machine, 'test/concurrency/worker.ts', ...args), machine };
}
