import { constants } from 'node:os';
import { setImmediate } from 'node:timers/promises';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type Signal = (typeof SIGNALS)[number] | 'SIGQUIT';

/** How to speak of work that a signal must not cut in half. */
export interface HeldWork {
  /** What is being finished first: "the restore". */
  readonly what: string;
  /** How things stand if a second signal ends the process in the middle of it. */
  readonly cutOff: string;
}

const BEGUN: HeldWork = {
  what: 'what was begun',
  cutOff: 'what was begun is finished or taken back by the next savepoint command',
};

/** What happens when somebody presses Ctrl-C, or asks the process to end. */
export class Interrupts {
  /** The signal that came during such work, and waits for its end. */
  pending: Signal | null = null;
  /** How things stand if a signal comes now: "nothing was changed". Null while there is nothing to say. */
  meaning: string | null = null;
  readonly #say: (message: string, isLast: boolean) => void;
  readonly #cleanups = new Set<() => void>();
  #held: HeldWork | null = null;
  #isOver = false;
  #pass: ((signal: Signal) => void) | null = null;

  /** `say` tells the person; `isLast` says that the process ends after that. */
  constructor(say: (message: string, isLast: boolean) => void) {
    this.#say = say;
  }

  listen(): void {
    for (const signal of SIGNALS) process.on(signal, this.#receive);
  }

  stop(): void {
    for (const signal of [...SIGNALS, 'SIGQUIT']) process.off(signal, this.#receive);
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
  hold<T>(work: () => Promise<T>, held: HeldWork = BEGUN): Promise<T> {
    return this.holdOnce((begin) => begin().then(work), held);
  }

  /** As `hold`, for work that says itself when it must not be cut in half any more. */
  async holdOnce<T>(work: (begin: () => Promise<void>) => Promise<T>, held: HeldWork): Promise<T> {
    const begin = async (): Promise<void> => {
      // Signals are noticed between turns of the event loop. So one that came before counts before, and
      // one that came meanwhile is seen afterwards at the latest.
      await setImmediate();
      this.#held = held;
      this.#isOver = false;
    };
    try {
      return await work(begin);
    } finally {
      this.#isOver = true;
      await setImmediate();
      this.#held = null;
    }
  }

  /**
   * While a program of the user's runs, signals are for that program. From then on that includes Ctrl-\, which
   * otherwise ends us at once: it is the last resort where no Ctrl-C is heard.
   */
  async during<T>(work: () => Promise<T>, pass: (signal: Signal) => void): Promise<T> {
    process.on('SIGQUIT', this.#receive);
    const before = this.#pass;
    this.#pass = pass;
    try {
      return await work();
    } finally {
      await setImmediate();
      this.#pass = before;
    }
  }

  /** Ends the process by the signal, at once: `process.exit` waits for V8's threads, which can take for ever. */
  end(signal: Signal): never {
    for (const cleanup of this.#cleanups) cleanup();
    const cutOff = this.#isOver ? undefined : this.#held?.cutOff;
    const meaning = cutOff ?? this.meaning;
    this.#say(meaning === null ? 'interrupted' : `interrupted; ${meaning}`, true);
    const code = exitCodeFor(signal);
    // Listeners for the exit put the terminal in order.
    process.emit('exit', code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    // The first process of a container does not die by a signal that it sends itself.
    process.exit(code);
  }

  readonly #receive = (signal: Signal): void => {
    if (this.#pass !== null) this.#pass(signal);
    else if (this.#held !== null && this.pending === null) this.#putOff(signal, this.#held);
    else this.end(signal);
  };

  #putOff(signal: Signal, { what }: HeldWork): void {
    this.pending = signal;
    if (!this.#isOver) this.#say(`finishing ${what} first; once more ends it at once`, false);
  }
}

/** The exit code that a shell would give: 130 for Ctrl-C. */
export function exitCodeFor(signal: Signal): number {
  return 128 + constants.signals[signal];
}
