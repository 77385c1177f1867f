import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { SpawnOrder, SpawnReport } from './small-spawner-child.ts';

const CHILD = fileURLToPath(new URL('./small-spawner-child.ts', import.meta.url));

/**
 * A small process from which programs are spawned and timed. In fairness to both sides: spawning is
 * slower from a larger process, and leaves that process slower for a while, because the kernel copies
 * each page at the next write to it.
 */
export class SmallSpawner {
  readonly #child: ChildProcess;
  readonly #ended = new AbortController();
  /** The most memory it held when it spawned something. */
  residentBytes = 0;

  constructor(env: NodeJS.ProcessEnv) {
    this.#child = fork(CHILD, { env, execArgv: [] });
    this.#child.once('exit', () => this.#ended.abort(new Error('the spawning process ended')));
  }

  /** Runs a program to its end. Tells the milliseconds that it took, and what it printed. */
  async run(order: SpawnOrder): Promise<SpawnReport> {
    const answer = once(this.#child, 'message', this.#ended);
    this.#child.send(order);
    const [report] = (await answer) as [SpawnReport];
    if (report.failure !== null) throw new Error(`${order.program}: ${report.failure}`);
    this.residentBytes = Math.max(this.residentBytes, report.residentBytes);
    return report;
  }

  async stop(): Promise<void> {
    if (this.#ended.signal.aborted) return;
    const exit = once(this.#child, 'exit');
    this.#child.disconnect();
    await exit;
  }
}
