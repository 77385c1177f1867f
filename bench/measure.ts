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

/** One figure for each round. */
export interface Samples {
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
}

export interface Rounds {
  readonly counted: number;
  /** Compilers, caches and prepared statements settle in these first ones. */
  readonly warmUp: number;
}

const DEFAULT_ROUNDS = 31;
const DEFAULT_WARM_UP = 8;

/** Ours, theirs, ours, theirs: whatever slows the machine for a while slows both. */
export function alternate(
  ours: Side,
  theirs: Side,
  rounds: Rounds = { counted: roundsWanted(), warmUp: DEFAULT_WARM_UP },
): Promise<Samples> {
  return takeTurns({ ours, theirs }, rounds);
}

/** One turn for each side in every round, in the order given. Resolves to the samples of each. */
export async function takeTurns<Name extends string>(
  sides: Readonly<Record<Name, Side>>,
  { counted, warmUp }: Rounds,
): Promise<Record<Name, readonly number[]>> {
  const turns = Object.entries<Side>(sides).map(([name, side]) => ({
    name,
    side,
    samples: [] as number[],
  }));
  for (let round = 0; round < warmUp + counted; round += 1) {
    for (const { side, samples } of turns) {
      // Work that never waits would keep a Ctrl-C from being heard.
      await setImmediate();
      const sample = await play(side, round);
      if (round >= warmUp) samples.push(sample);
    }
  }
  const found = turns.map(({ name, samples }) => [name, samples]);
  return Object.fromEntries(found) as Record<Name, readonly number[]>;
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
  otherwise: number = DEFAULT_ROUNDS,
  text: string | undefined = process.env.SAVEPOINT_BENCH_ROUNDS,
): number {
  return text === undefined || text === '' ? otherwise : countFrom('SAVEPOINT_BENCH_ROUNDS', text);
}

/** What a variable of the environment says, where it has to be a number of things. */
export function countFrom(variable: string, text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new Error(`${variable} must hold a whole number above 0, not "${text}"`);
}

/** One turn. Resolves to what `time` does. */
export async function play(side: Side, round: number): Promise<number> {
  await side.prepare?.(round);
  const elapsed = await side.time(round);
  await side.verify?.(round);
  return elapsed;
}
