import { countFrom } from '../measure.ts';

const VARIABLE = 'SAVEPOINT_BENCH_SIZES';
const DEFAULT_SIZES = '1000,10000,100000';

/** Files in the trees, from `SAVEPOINT_BENCH_SIZES`, as in "1000,10000"; the smallest tree first. */
export function sizesWanted(text: string | undefined = process.env[VARIABLE]): readonly number[] {
  const sizes = (text || DEFAULT_SIZES).split(',').map((size) => countFrom(VARIABLE, size));
  return [...new Set(sizes)].sort((a, b) => a - b);
}
