import { writeFileSync } from 'node:fs';
import { chosenCourses } from './courses.ts';
import { meetsBar } from './figures.ts';
import { describeMachine, requireDisk } from './machine.ts';
import { reportOf } from './report.ts';
import { runCourses } from './run-courses.ts';

const RESULTS = new URL('./RESULTS.md', import.meta.url);

/**
 * Measures what has one of these words in its name, or everything if there are none, and writes
 * `RESULTS.md` then. Resolves to whether all bars are met.
 */
export async function measureAll(words: readonly string[]): Promise<boolean> {
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
  const machine = describeMachine();
  requireDisk(machine);
  const findings = await runCourses(chosenCourses(words));
  // A part of the figures would stand there as if it were all of them.
  if (words.length === 0 && !process.env.SAVEPOINT_BENCH_SIZES) {
    const day = new Date().toISOString().slice(0, 10);
    writeFileSync(RESULTS, reportOf(findings, machine, day));
  }
  return findings.outcomes.every(meetsBar);
}
