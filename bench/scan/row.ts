import { type Bar, type Benchmark, fasterBy } from '../benchmark.ts';
import { type Rounds, roundsWanted, type Samples } from '../measure.ts';
import type { Ground } from './ground.ts';

/** A comparison on a ground that others were, or will be, made on as well. */
export interface Row extends Omit<Benchmark, 'run' | 'files'> {
  run(ground: Ground): Promise<Samples>;
}

export const LARGE = 100_000;
const ROUNDS = 7;
const FEW_ROUNDS = 3;

/** A bar for large trees; smaller ones are there to show how the time grows. */
export function largeBar(files: number, times: number): Bar | null {
  return files >= LARGE ? fasterBy(times) : null;
}

export function rounds(): Rounds {
  return { counted: roundsWanted(ROUNDS), warmUp: 1 };
}

/** For what takes up to a minute each time in a large tree: enough for a median, and no more. */
export function fewRounds(): Rounds {
  return { counted: Math.min(rounds().counted, FEW_ROUNDS), warmUp: 1 };
}

/** For rows that show parts of one measurement: made when the first of them asks for it. */
export function measuredOnce<T>(
  measure: (ground: Ground) => Promise<T>,
): (ground: Ground) => Promise<T> {
  let made: Promise<T> | null = null;
  return (ground) => {
    made ??= measure(ground);
    return made;
  };
}
