import { constants } from 'node:os';
import { setImmediate } from 'node:timers/promises';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type Signal = (typeof SIGNALS)[number];

/** What happens when somebody presses Ctrl-C, or asks the process to end. */
export class Interrupts {
  /** Set when a signal came while work was held together, and was put off. */
  pending: Signal | null = null;
  readonly #cleanups = new Set<() => void>();
  #held = 0;
  #pass: ((signal: Signal) => void) | null = null;

  listen(): void {
    for (const signal of SIGNALS) process.on(signal, this.#receive);
  }

  stop(): void {
    for (const signal of SIGNALS) process.off(signal, this.#receive);
  }

  /** Runs `cleanup` should the process be interrupted. Returns how to take that back. */
  onInterrupt(cleanup: () => void): () => void {
    this.#cleanups.add(cleanup);
    return () => this.#cleanups.delete(cleanup);
  }

  /**
   * Lets work finish before a signal counts: a restore that is cut off is only finished at the next
   * start. A second signal ends the process all the same.
   */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    // Signals are noticed between turns of the event loop, and most of our work never leaves one. So
    // one that came before counts before, and one that came meanwhile is seen afterwards.
    await setImmediate();
    this.#held += 1;
    try {
      return await work();
    } finally {
      await setImmediate();
      this.#held -= 1;
    }
  }

  /** While a program of the user's runs, signals are for that program. */
  async during<T>(work: () => Promise<T>, pass: (signal: Signal) => void): Promise<T> {
    const before = this.#pass;
    this.#pass = pass;
    try {
      return await work();
    } finally {
      await setImmediate();
      this.#pass = before;
    }
  }

  readonly #receive = (signal: Signal): void => {
    if (this.#pass !== null) {
      this.#pass(signal);
      return;
    }
    if (this.#held > 0 && this.pending === null) {
      this.pending = signal;
      return;
    }
    for (const cleanup of this.#cleanups) cleanup();
    process.stderr.write('\nsavepoint: interrupted\n');
    process.exit(exitCodeFor(signal));
  };
}

/** As shells count: 130 for Ctrl-C. */
export function exitCodeFor(signal: Signal): number {
  return 128 + constants.signals[signal];
}
