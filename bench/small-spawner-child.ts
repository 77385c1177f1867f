import { spawnSync } from 'node:child_process';

export interface SpawnOrder {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: string;
}

export interface SpawnReport {
  readonly elapsed: number;
  readonly residentBytes: number;
  readonly failure: string | null;
}

process.on('message', (order: SpawnOrder) => {
  process.send?.(carryOut(order));
});

function carryOut({ program, args, folder }: SpawnOrder): SpawnReport {
  const begin = performance.now();
  const { status, error, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' });
  const elapsed = performance.now() - begin;
  const failure = status === 0 ? null : (error?.message ?? `ended with ${status}: ${stderr}`);
  return { elapsed, residentBytes: process.memoryUsage.rss(), failure };
}
