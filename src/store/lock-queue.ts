import { monotonicMs } from '../model/clock.ts';
import { SavepointError } from '../model/errors.ts';
import type { LockOptions } from './store.ts';

/** A lock within one process. Callers get it in the order in which they came. */
export class LockQueue {
  readonly #wanted: string;
  #taken = false;
  readonly #waiting: (() => void)[] = [];

  /** `wanted` is the name of the lock in errors. */
  constructor(wanted: string) {
    this.#wanted = wanted;
  }

  /** Resolves when it is the caller's turn. The caller must then `leave`. */
  enter({ timeoutMs, signal }: LockOptions): Promise<void> {
    if (signal?.aborted) return Promise.reject(abortError(this.#wanted, signal));
    if (!this.#taken) {
      this.#taken = true;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const give = (): void => {
        stopWaiting();
        resolve();
      };
      const giveUp = (error: SavepointError): void => {
        stopWaiting();
        this.#waiting.splice(this.#waiting.indexOf(give), 1);
        reject(error);
      };
      const onAbort = (): void => giveUp(abortError(this.#wanted, signal));
      const timer = setTimeout(() => giveUp(lockedError(this.#wanted, timeoutMs)), timeoutMs);
      const stopWaiting = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      signal?.addEventListener('abort', onAbort);
      this.#waiting.push(give);
    });
  }

  /** Runs `work` when it is the caller's turn, and tells it how much of the time is left. */
  async inTurn<Result>(
    timeoutMs: number,
    work: (leftMs: number) => Promise<Result>,
  ): Promise<Result> {
    const since = monotonicMs();
    await this.enter({ timeoutMs });
    try {
      return await work(Math.max(0, since + timeoutMs - monotonicMs()));
    } finally {
      this.leave();
    }
  }

  /** Hands the lock to the next one. It stays taken while somebody waits, so that no newcomer overtakes. */
  leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#taken = false;
  }
}

export const PROJECT_LOCK = 'the project lock';

export function lockedError(wanted: string, timeoutMs: number): SavepointError {
  return new SavepointError(
    'store-locked',
    `${wanted} was not free within ${Math.round(timeoutMs)} ms`,
    {
      hint: 'another Savepoint is at work in this project; try again when it has finished',
    },
  );
}

export function closedError(): SavepointError {
  return new SavepointError('store-closed', 'the store was closed');
}

/** A signal that carries one of our errors, as a closing store's does, passes it on. */
export function abortError(wanted: string, signal: AbortSignal | undefined): SavepointError {
  const cause: unknown = signal?.reason;
  if (cause instanceof SavepointError) return cause;
  return new SavepointError('aborted', `waiting for ${wanted} was cancelled`, { cause });
}
