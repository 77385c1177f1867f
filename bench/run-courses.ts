import type { Course, Outcome } from './benchmark.ts';
import { type Findings, linesOf } from './report.ts';
import { Scratch } from './scratch.ts';

/** Runs one course after the other, and says on the terminal what comes out. */
export async function runCourses(courses: readonly Course[]): Promise<Findings> {
  const found = [];
  for (const course of courses) found.push(await runCourse(course));
  return {
    outcomes: found.flatMap(({ outcomes }) => outcomes),
    remarks: found.flatMap(({ remarks }) => remarks),
  };
}

async function runCourse(course: Course): Promise<Findings> {
  const scratch = new Scratch();
  // Also when a signal ends us in the middle.
  const removeFolder = () => scratch.removeFolder();
  process.once('exit', removeFolder);
  try {
    return await runIn(scratch, course);
  } finally {
    await scratch.remove();
    process.off('exit', removeFolder);
  }
}

async function runIn(scratch: Scratch, { benchmarks, remark }: Course): Promise<Findings> {
  const outcomes: Outcome[] = [];
  for (const benchmark of benchmarks) {
    const samples = await benchmark.run(scratch);
    const outcome = { benchmark, samples, spawnerBytes: scratch.spawnerBytes };
    process.stdout.write(linesOf(outcome));
    outcomes.push(outcome);
  }
  if (remark === undefined) return { outcomes, remarks: [] };
  const sentence = await remark(scratch);
  process.stdout.write(`${sentence}\n`);
  return { outcomes, remarks: [sentence] };
}
