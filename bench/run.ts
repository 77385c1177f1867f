import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Benchmark, Outcome } from './benchmark.ts';
import { CAPTURE } from './capture.ts';
import { describeMachine, requireDisk } from './machine.ts';
import { roundsWanted } from './measure.ts';
import { OPEN_STORE } from './open-store.ts';
import { linesOf, meetsBar, reportOf } from './report.ts';
import { RESTORE } from './restore.ts';
import { Scratch } from './scratch.ts';

const BENCHMARKS: readonly Benchmark[] = [...CAPTURE, ...RESTORE, ...OPEN_STORE];
const RESULTS = new URL('./RESULTS.md', import.meta.url);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  // Ends with 1 when a bar is missed.
  options: { check: { type: 'boolean', default: false } },
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
const machine = describeMachine();
requireDisk(machine);
const outcomes: Outcome[] = [];
for (const benchmark of chosen(positionals)) {
  const outcome = await runAlone(benchmark);
  process.stdout.write(linesOf(outcome));
  outcomes.push(outcome);
}
// A part of the figures would stand there as if it were all of them.
if (positionals.length === 0) {
  const day = new Date().toISOString().slice(0, 10);
  writeFileSync(RESULTS, reportOf(outcomes, machine, roundsWanted(), day));
}
if (values.check && !outcomes.every(meetsBar)) process.exitCode = 1;

/** All of them, or those whose name has one of these words in it. */
function chosen(words: readonly string[]): readonly Benchmark[] {
  if (words.length === 0) return BENCHMARKS;
  const found = BENCHMARKS.filter(({ name }) => words.some((word) => name.includes(word)));
  if (found.length > 0) return found;
  const names = [...new Set(BENCHMARKS.map(({ name }) => name))].join('\n  ');
  throw new Error(`no benchmark fits; there are:\n  ${names}`);
}

async function runAlone(benchmark: Benchmark): Promise<Outcome> {
  const scratch = new Scratch();
  // Also when a signal ends us in the middle.
  const removeFolder = () => scratch.removeFolder();
  process.once('exit', removeFolder);
  try {
    const samples = await benchmark.run(scratch);
    return { benchmark, samples, spawnerBytes: scratch.spawnerBytes };
  } finally {
    await scratch.remove();
    process.off('exit', removeFolder);
  }
}
