import { describe, expect, it } from 'vitest';
import { numberFrom } from '../crash/campaign.ts';
import { type Arena, type Contest, race } from './race.ts';
import { wholeRewinds } from './race-rewinds.ts';
import { engineTries, naiveTries, type Outcome } from './race-tries.ts';

// `npm run test:campaigns` makes 20,000.
const TRIES = numberFrom('SAVEPOINT_RACE_TRIES', 2_000);
/** A busy machine lets the other process run late. */
const MOST_TRIES = 1_000_000;
const REWINDS = Math.ceil(TRIES / 50);
const LIMIT_MS = 120_000;

interface Count {
  tries: number;
  done: number;
  refused: number;
  escapes: number;
}

/** Tries until `isShown`, which has to be so before anything is proven. */
function counting(
  arena: Arena,
  attempt: (n: number) => Outcome,
  isShown: (counted: Count) => boolean,
): Contest<Count> {
  const counted: Count = { tries: 0, done: 0, refused: 0, escapes: 0 };
  const run = () => {
    while (!isShown(counted) && counted.tries < MOST_TRIES) {
      counted[attempt(counted.tries)] += 1;
      counted.tries += 1;
      if (arena.escaped()) counted.escapes += 1;
    }
  };
  return { run, result: () => counted };
}

// Elsewhere there is no /proc, and docs/threat-model.md states the window that is left.
describe.runIf(process.platform === 'linux')('a parent that is swapped for a link', () => {
  it(
    `is never gone through: ${TRIES} tries of the engine's own steps`,
    async () => {
      // Both outcomes, or nothing was raced.
      const isShown = ({ tries, done, refused }: Count) =>
        tries >= TRIES && done > 0 && refused > 0;
      const { result, swaps, outside } = await race((arena) =>
        counting(arena, engineTries(arena), isShown),
      );
      expect(result.escapes).toBe(0);
      expect(outside.after).toEqual(outside.before);
      expect(result.done).toBeGreaterThan(0);
      expect(result.refused).toBeGreaterThan(0);
      expect(swaps).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );

  it(
    'is gone through by a program that looks first and writes then',
    async () => {
      const escaped = ({ escapes }: Count) => escapes > 0;
      const { result } = await race((arena) => counting(arena, naiveTries(arena), escaped));
      expect(result.escapes).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );

  it(
    `is never gone through: ${REWINDS} whole rewinds, undos and redos`,
    async () => {
      const { result, outside } = await race((arena) => wholeRewinds(arena, REWINDS));
      expect(result.escapes).toBe(0);
      // Whatever was refused half way: each file is wholly the old or wholly the new one.
      for (const content of result.files) expect(['outside\n', 'agent\n']).toContain(content);
      expect(outside.after).toEqual(outside.before);
      expect(result.done).toBeGreaterThan(0);
      expect(result.refused).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );
});
