import type { Samples } from './measure.ts';
import type { Scratch } from './scratch.ts';

/** What a ratio has to be: no more than some times theirs, or some times faster than theirs. */
export type Bar =
  | { readonly kind: 'at-most'; readonly times: number }
  | { readonly kind: 'faster'; readonly times: number };

/** What samples count: milliseconds that something took, or bytes on the disk. */
export type Unit = 'ms' | 'bytes';

/** One comparison. To add one: write such a value and list it in `courses.ts`. */
export interface Benchmark {
  /** What we do; several benchmarks may share it and differ in what they are held against. */
  readonly name: string;
  readonly against: string;
  /** Null where the figures are shown for what they are. */
  readonly bar: Bar | null;
  /** Milliseconds if left out. */
  readonly unit?: Unit;
  /** Files in the tree, where the same is measured in trees of several sizes. */
  readonly files?: number;
  /** Measures both sides in turn. */
  run(scratch: Scratch): Promise<Samples>;
}

/** Benchmarks that share a scratch folder, which is new for the first and removed after the last. */
export interface Course {
  readonly benchmarks: readonly Benchmark[];
  /** A sentence to stand below the table. */
  remark?(scratch: Scratch): Promise<string>;
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
export function ratioFor(bar: Bar | null, ours: number, theirs: number): number {
  return bar?.kind === 'at-most' ? ours / theirs : theirs / ours;
}

export function isMet(bar: Bar, ratio: number): boolean {
  return bar.kind === 'at-most' ? ratio <= bar.times : ratio >= bar.times;
}
