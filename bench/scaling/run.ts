import { readFileSync, writeFileSync } from 'node:fs';
import { requireBuild } from '../build.ts';
import { describeMachine, requireDisk } from '../machine.ts';
import { Scratch } from '../scratch.ts';

requireBuild();
// Only now, because it imports the build.
const { measureScaling } = await import('./measure-scaling.ts');

const PAGE = new URL('../../docs/scaling.md', import.meta.url);
const [BEGIN, END] = ['<!-- written by npm run scaling -->', '<!-- end -->'];
const { SAVEPOINT_SCALING_PROJECTS, SAVEPOINT_SCALING_WRITERS, SAVEPOINT_SCALING_SECONDS } =
  process.env;

const machine = describeMachine();
requireDisk(machine);
const scratch = new Scratch();
try {
  const tables = await measureScaling(scratch, {
    projects: numbers(SAVEPOINT_SCALING_PROJECTS ?? '1,100,10000'),
    writers: numbers(SAVEPOINT_SCALING_WRITERS ?? '1,2,4,8,16'),
    seconds: Number(SAVEPOINT_SCALING_SECONDS ?? '5'),
  });
  const { cores, memoryGiB, fileSystem, kernel, node } = machine;
  const on = `Measured on ${new Date().toISOString().slice(0, 10)}: ${cores} cores, ${memoryGiB} GiB of memory, ${fileSystem}, ${kernel}, Node ${node}.`;
  const figures = [on, ...tables].join('\n\n');
  process.stdout.write(`${figures}\n`);
  // Other sizes would stand there as if they were the usual ones.
  const isUsual = !SAVEPOINT_SCALING_PROJECTS && !SAVEPOINT_SCALING_WRITERS;
  if (isUsual) writeFileSync(PAGE, withFigures(readFileSync(PAGE, 'utf8'), figures));
} finally {
  await scratch.remove();
}

function numbers(text: string): number[] {
  return text.split(',').map(Number);
}

function withFigures(page: string, figures: string): string {
  const [before, rest = ''] = page.split(BEGIN);
  return `${before}${BEGIN}\n\n${figures}\n\n${END}${rest.split(END)[1]}`;
}
