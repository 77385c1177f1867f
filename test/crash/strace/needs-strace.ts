import { describe } from 'vitest';
import { straceProblem } from './strace.ts';

/**
 * Tests that need strace. Where it is missing they are skipped, with the reason in their title; on the
 * machine that decides about a change they fail instead, since nothing would be shown there.
 */
export function describeWithStrace(title: string, body: () => void): void {
  const problem = straceProblem();
  if (problem === null) {
    describe(title, body);
    return;
  }
  if (process.env.CI && process.platform === 'linux') throw new Error(`${title}: ${problem}`);
  skipVisibly(title, problem, body);
}

/** Reporters count what is skipped; only a line of our own says why. */
export function skipVisibly(title: string, problem: string, body: () => void): void {
  process.stderr.write(`skipped: ${title}: ${problem}\n`);
  describe.skip(`${title} (skipped: ${problem})`, body);
}
