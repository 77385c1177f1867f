import { ScanStopped } from './control.ts';
import { RunningScan } from './running-scan.ts';
import type { ScanOutcome, ScanRequest } from './scan-request.ts';
import { WorkerPool } from './worker-pool.ts';

export type { ScanOutcome, ScanRequest } from './scan-request.ts';

export interface ScannerOptions {
  /** How many threads share the work on a large tree; 0 keeps everything in the calling one. */
  readonly workers: number;
  /** The number of entries from which on a tree is large. */
  readonly largeTree?: number;
}

/** Below this, starting two threads takes longer than they save. */
const LARGE_TREE = 50_000;

/** Scans worktrees; keeps its threads from one scan to the next. */
export class Scanner {
  readonly #pool: WorkerPool;
  readonly #largeTree: number;
  readonly #running = new Set<RunningScan>();

  constructor({ workers, largeTree = LARGE_TREE }: ScannerOptions) {
    this.#pool = new WorkerPool(workers);
    this.#largeTree = largeTree;
  }

  /**
   * Compares the worktree with the previous index. Throws `project-missing` or `capture-failed` when the
   * root itself cannot be read. A scan that gives up has no result at all.
   */
  async scan(request: ScanRequest): Promise<ScanOutcome> {
    const scan = new RunningScan(request, this.#pool, this.#largeTree);
    this.#running.add(scan);
    try {
      return await scan.run();
    } catch (error) {
      if (error instanceof ScanStopped) return { kind: 'gave-up', reason: error.reason };
      throw error;
    } finally {
      scan.end();
      this.#running.delete(scan);
    }
  }

  /** Stops the scans that are under way, and waits until the threads have ended. */
  close(): Promise<void> {
    for (const scan of this.#running) scan.end();
    return this.#pool.close();
  }
}
