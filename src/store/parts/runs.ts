import { markOf, type Skeleton } from './skeleton.ts';

const SMALLEST = 1_024;
const USUAL = 2_048;
const LARGEST = 4_096;
const MARKS = 0x10000;

/**
 * Cuts the entries of a list or object into runs. An entry ends a run by what it says itself, so that one
 * that comes in, or goes, leaves all runs but its own as they are.
 */
export function runsOf(entries: readonly Skeleton[]): Skeleton[][] {
  const runs: Skeleton[][] = [];
  let run: Skeleton[] = [];
  let cost = 0;
  for (const entry of entries) {
    if (run.length > 0 && cost + entry.cost > LARGEST) {
      runs.push(run);
      [run, cost] = [[], 0];
    }
    run.push(entry);
    cost += entry.cost;
    if (cost >= SMALLEST && endsRun(entry)) {
      runs.push(run);
      [run, cost] = [[], 0];
    }
  }
  return run.length > 0 ? [...runs, run] : runs;
}

/** The heavier an entry, the likelier: runs have a usual weight, whatever is in them. */
function endsRun(entry: Skeleton): boolean {
  return markOf(entry) < (MARKS * entry.cost) / USUAL;
}
