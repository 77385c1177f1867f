import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSavepoint, type StepContext } from '../../../src/index.ts';

/** Ten steps, which write files in turns by themselves and by a shell. Says when it begins, and when it is done. */
const STEPS = 10;
const [project = '', home = ''] = process.argv.slice(2);
const environment = { PATH: process.env.PATH, HOME: home };

interface State {
  done: number[];
}

const savepoint = await openSavepoint({ project, home, scan: true, environment });
process.stdout.write('begin\n');
const run = await savepoint.execution('exec', { state: { done: [] }, changedFiles: 'accept' });
for (let index = 0; index < STEPS; index += 1) {
  const work = index % 2 === 0 ? byTool : byShell;
  await run.step(`step-${index}`, { writes: index % 2 === 0 ? [] : ['shell'] }, work);
}
await run.finish();
await savepoint.close();
process.stdout.write('end\n');

async function byTool({ files, index, state }: StepContext<State>): Promise<number> {
  const shared = readFileSync(join(project, 'shared.txt'), 'utf8');
  const count = Number(/^count: (\d+)$/m.exec(shared)?.[1]);
  await files.write('shared.txt', shared.replace(/^count: \d+$/m, `count: ${count + 1}`));
  await files.write(`made/by-${index}.txt`, `step ${index}\n`);
  const log = readFileSync(join(project, 'tool-log.txt'), 'utf8');
  await files.write('tool-log.txt', `${log}step ${index}\n`);
  state.done.push(index);
  return index;
}

async function byShell({ index, state }: StepContext<State>): Promise<number> {
  const script = `
    printf 'step ${index}\\n' >> shell/log.txt
    sed -i 's/last: .*/last: ${index}/' shell/last.txt
    mkdir -p shell/made && printf 'step ${index}\\n' > shell/made/by-${index}.txt`;
  execFileSync('/bin/sh', ['-ec', script], { cwd: project, env: environment });
  state.done.push(index);
  return index;
}
