import { spawnSync } from 'node:child_process';

export interface SpawnOrder {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: string;
  /** What the program reads from standard input. */
  readonly input?: string | undefined;
}

export interface SpawnReport {
  readonly elapsed: number;
  readonly output: string;
  readonly residentBytes: number;
  readonly failure: string | null;
}

process.on('message', (order: SpawnOrder) => {
  process.send?.(carryOut(order));
});

function carryOut({ program, args, folder, input }: SpawnOrder): SpawnReport {
  const begin = performance.now();
  const ended = spawnSync(program, args, {
    // A list of 100,000 names is long.
    maxBuffer: 1024 ** 3,
    cwd: folder,
    encoding: 'utf8',
    input,
  });
  const elapsed = performance.now() - begin;
  const { status, error, stderr, stdout: output } = ended;
  const failure = status === 0 ? null : (error?.message ?? `ended with ${status}: ${stderr}`);
  return { elapsed, output, residentBytes: process.memoryUsage.rss(), failure };
}
