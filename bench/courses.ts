import { AGENT_PROMPTS } from './agents.ts';
import type { Course } from './benchmark.ts';
import { CAPTURE } from './capture.ts';
import { COMMAND_LINE } from './command-line.ts';
import { EXECUTION_STATE } from './execution-state.ts';
import { EXECUTION_STEPS } from './execution-steps.ts';
import { HOOKS } from './hooks.ts';
import { OPEN_STORE } from './open-store.ts';
import { PAGE_SIZE } from './page.ts';
import { POSTGRES } from './postgres.ts';
import { POSTGRES_STATE } from './postgres-state.ts';
import { RESTORE } from './restore.ts';
import { scanCourse } from './scan/scan-course.ts';
import { sizesWanted } from './scan/sizes.ts';
import { TERMINAL } from './terminal.ts';
import { WEB } from './web.ts';
import { WEB_DIFF } from './web-diff.ts';

/** All that is measured, in this order. */
export function allCourses(): readonly Course[] {
  const alone = [
    ...CAPTURE,
    ...RESTORE,
    ...OPEN_STORE,
    ...POSTGRES,
    ...POSTGRES_STATE,
    ...COMMAND_LINE,
    ...TERMINAL,
    ...WEB,
    ...WEB_DIFF,
    ...PAGE_SIZE,
    ...HOOKS,
  ].map((one) => ({ benchmarks: [one] }));
  const agents = AGENT_PROMPTS.map((one) => ({ benchmarks: [one] }));
  return [
    ...alone,
    ...agents,
    ...EXECUTION_STATE,
    EXECUTION_STEPS,
    ...sizesWanted().map(scanCourse),
  ];
}

/** All of them, or of each what has one of these words in its name. */
export function chosenCourses(words: readonly string[]): readonly Course[] {
  const courses = allCourses();
  if (words.length === 0) return courses;
  const found = courses
    .map(({ benchmarks }) => ({
      benchmarks: benchmarks.filter(({ name }) => words.some((word) => name.includes(word))),
    }))
    .filter(({ benchmarks }) => benchmarks.length > 0);
  if (found.length > 0) return found;
  const names = new Set(courses.flatMap(({ benchmarks }) => benchmarks.map(({ name }) => name)));
  throw new Error(`no benchmark fits; there are:\n  ${[...names].join('\n  ')}`);
}
