import type { Course } from '../benchmark.ts';
import type { Scratch } from '../scratch.ts';
import { firstRows } from './first-checkpoint.ts';
import { Ground } from './ground.ts';
import { memoryRemark } from './memory.ts';
import { nextRows } from './next-checkpoint.ts';
import { offersRow } from './path-offers.ts';
import { restoreRows } from './restore-files.ts';
import type { Row } from './row.ts';
import { GROWTH } from './store-growth.ts';

/** What the scan costs in a tree of this size, beside shadow git. */
export function scanCourse(files: number): Course {
  let planted: Ground | null = null;
  const ground = (scratch: Scratch): Ground => {
    planted ??= new Ground(scratch, files);
    return planted;
  };
  const benchmarks = rowsFor(files).map((row) => ({
    ...row,
    files,
    run: (scratch: Scratch) => row.run(ground(scratch)),
  }));
  return { benchmarks, remark: (scratch) => memoryRemark(ground(scratch)) };
}

/** First checkpoints come first, while all is as it was committed; some restores write all anew. */
function rowsFor(files: number): readonly Row[] {
  return [...firstRows(files), ...nextRows(files), offersRow(files), GROWTH, ...restoreRows(files)];
}
