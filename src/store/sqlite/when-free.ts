import { setTimeout } from 'node:timers/promises';
import { abortError, lockedError } from '../lock-queue.ts';
import { isBusy } from './failures.ts';

const FIRST_DELAY_MS = 1;
const LAST_DELAY_MS = 25;

export interface Waiting {
  /** What is waited for is called so in errors. */
  readonly wanted: string;
  readonly timeoutMs: number;
  /** When it began, where others were waited for before; of `performance.now`. */
  readonly since?: number;
  readonly signal?: AbortSignal | undefined;
  /** How long to stay away at most before asking again. */
  readonly pauseMs?: number;
}

/**
 * Does what another process may be in the way of. Asks again and again instead of letting SQLite sleep, which
 * would stop the event loop.
 */
export async function whenFree<Result>(
  attempt: () => Result,
  { wanted, timeoutMs, since = performance.now(), signal, pauseMs = LAST_DELAY_MS }: Waiting,
): Promise<Result> {
  for (let delay = FIRST_DELAY_MS; ; delay = Math.min(delay * 2, pauseMs)) {
    if (signal?.aborted) throw abortError(wanted, signal);
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    const left = since + timeoutMs - performance.now();
    if (left <= 0) throw lockedError(wanted, timeoutMs);
    await setTimeout(Math.min(left, delay * (0.5 + Math.random())));
  }
}
