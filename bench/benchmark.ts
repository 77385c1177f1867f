import type { Samples } from './measure.ts';
import type { Scratch } from './scratch.ts';

/** What a ratio has to be: no slower than some times theirs, or some times faster than theirs. */
export type Bar =
  | { readonly kind: 'at-most'; readonly times: number }
  | { readonly kind: 'faster'; readonly times: number };

/** One comparison. To add one: write such a value and list it in `run.ts`. */
export interface Benchmark {
  /** What we do; several benchmarks may share it and differ in what they are held against. */
  readonly name: string;
  readonly against: string;
  readonly bar: Bar;
  /** Measures both sides in turn. The scratch folder is new, and removed afterwards. */
  run(scratch: Scratch): Promise<Samples>;
}

export interface Outcome {
  readonly benchmark: Benchmark;
  readonly samples: Samples;
  /** Memory of the process that other programs were spawned from; 0 when none was. */
  readonly spawnerBytes: number;
}

export function atMost(times: number): Bar {
  return { kind: 'at-most', times };
}

export function fasterBy(times: number): Bar {
  return { kind: 'faster', times };
}

/** The figure that a bar speaks of, from the medians of both sides. */
export function ratioFor(bar: Bar, ours: number, theirs: number): number {
  return bar.kind === 'at-most' ? ours / theirs : theirs / ours;
}

export function isMet(bar: Bar, ratio: number): boolean {
  return bar.kind === 'at-most' ? ratio <= bar.times : ratio >= bar.times;
}
