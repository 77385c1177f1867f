import { setTimeout } from 'node:timers/promises';
import type { SavepointError } from '../../model/errors.ts';
import { abortError } from '../lock-queue.ts';
import { isBusy } from './failures.ts';

const FIRST_DELAY_MS = 1;
const LAST_DELAY_MS = 25;

export interface Waiting {
  /** Of `performance.now`. */
  readonly deadline: number;
  readonly signal: AbortSignal;
  /** What to throw when it has passed. */
  readonly tooLate: () => SavepointError;
}

/**
 * Does what another process may be in the way of. Asks again and again instead of letting SQLite sleep, which
 * would stop the event loop.
 */
export async function whenFree<Result>(
  attempt: () => Result,
  { deadline, signal, tooLate }: Waiting,
): Promise<Result> {
  for (let delay = FIRST_DELAY_MS; ; delay = Math.min(delay * 2, LAST_DELAY_MS)) {
    if (signal.aborted) throw abortError(signal);
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    const left = deadline - performance.now();
    if (left <= 0) throw tooLate();
    await setTimeout(Math.min(left, delay * (0.5 + Math.random())));
  }
}
