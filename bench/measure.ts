import { setImmediate } from 'node:timers/promises';

/** One side of a comparison. */
export interface Side {
  /** Brings about what the work starts from. */
  prepare?(round: number): Promise<void> | void;
  /** Does the work. Resolves to the milliseconds that it took. */
  time(round: number): Promise<number>;
  /** Throws unless the work was done. */
  verify?(round: number): Promise<void> | void;
}

/** Milliseconds, one for each round. */
export interface Samples {
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
}

const DEFAULT_ROUNDS = 31;
// Compilers, caches and prepared statements settle in these; they are not counted.
const WARM_UP_ROUNDS = 8;

/** Ours, theirs, ours, theirs: whatever slows the machine for a while slows both. */
export async function alternate(
  ours: Side,
  theirs: Side,
  rounds: number = roundsWanted(),
): Promise<Samples> {
  const samples = { ours: [] as number[], theirs: [] as number[] };
  for (let round = 0; round < WARM_UP_ROUNDS + rounds; round += 1) {
    // Work that never waits would keep a Ctrl-C from being heard.
    await setImmediate();
    const [our, their] = [await play(ours, round), await play(theirs, round)];
    if (round < WARM_UP_ROUNDS) continue;
    samples.ours.push(our);
    samples.theirs.push(their);
  }
  return samples;
}

/** The value below which the given part of the samples lies, between neighbours in proportion. */
export function quantile(samples: readonly number[], part: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const place = part * (sorted.length - 1);
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  if (below === undefined || above === undefined) throw new Error('there are no samples');
  return below + (above - below) * (place - Math.floor(place));
}

export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

/** The milliseconds that some work takes in this process. */
export async function clock(work: () => Promise<unknown> | unknown): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

/** From `SAVEPOINT_BENCH_ROUNDS`; more of them steady the figures of a noisy machine. */
export function roundsWanted(
  text: string | undefined = process.env.SAVEPOINT_BENCH_ROUNDS,
): number {
  if (text === undefined || text === '') return DEFAULT_ROUNDS;
  const rounds = Number(text);
  if (Number.isSafeInteger(rounds) && rounds > 0) return rounds;
  throw new Error(`SAVEPOINT_BENCH_ROUNDS must be a whole number above 0, not "${text}"`);
}

async function play(side: Side, round: number): Promise<number> {
  await side.prepare?.(round);
  const elapsed = await side.time(round);
  await side.verify?.(round);
  return elapsed;
}
