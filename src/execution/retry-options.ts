import { setTimeout } from 'node:timers/promises';
import { type Check, wrong } from '../model/shape.ts';

export interface RetryOptions {
  /** How many times the step is run at most. Three when left out. */
  readonly maxRetries?: number | undefined;
  /**
   * Milliseconds to wait before the second attempt, twice as many before the third, and so on; or a
   * function that says how many before each. 100 when left out.
   */
  readonly backoff?: number | ((attempt: number) => number) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const MAX_RETRIES = 3;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 60_000;

export function checkRetry({ maxRetries = MAX_RETRIES, backoff, signal }: RetryOptions): {
  readonly maxRetries: number;
  readonly signal: AbortSignal | undefined;
} {
  if (!Number.isSafeInteger(maxRetries) || maxRetries < 1) {
    throw wrong('maxRetries', 'a whole number from 1');
  }
  if (typeof backoff === 'number') aWait('backoff', backoff);
  return { maxRetries, signal };
}

/** Waits for as long as is to be waited before an attempt. Rejects when the signal comes. */
export async function waitBefore(attempt: number, options: RetryOptions): Promise<void> {
  const { backoff = FIRST_WAIT_MS, signal } = options;
  const asked = typeof backoff === 'number' ? backoff * 2 ** (attempt - 2) : backoff(attempt);
  aWait('backoff', asked);
  const wait = Math.min(asked, LONGEST_WAIT_MS);
  await setTimeout(wait, undefined, signal === undefined ? {} : { signal });
}

const aWait: Check = (name, value) => {
  if (typeof value !== 'number' || !(value >= 0)) throw wrong(name, 'milliseconds, not below 0');
};
