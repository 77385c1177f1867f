import { existsSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CliProject, type Result } from './cli-project.ts';

let project: CliProject;
beforeEach(() => {
  project = new CliProject({ 'u.txt': 'base\n' });
});
afterEach(() => project.remove());

it('takes back nothing older when it is not certain whose the newest changes are', async () => {
  await project.run(['run', '--', 'sh', '-c', 'echo changed >> u.txt']);
  await project.run(['rewind', 'latest']);
  // Each waits until the other has begun, and until it has made its file: both are at work all the while.
  const both = ['a', 'b'].map((name, at) => {
    const other = ['b', 'a'][at] ?? '';
    return shell(
      `touch ${name}-on; ${waitFor(other)}
       echo ${name} > s${name}; touch ${name}-made-on; ${waitFor(`${other}-made`)}`,
    );
  });
  await Promise.all(both);
  const undone = await project.run(['undo']);
  expect(undone).toMatchObject({ code: 5, out: expect.stringContaining('--include-shared') });
  expect(project.read('u.txt')).toBe('base\n');
  expect(await project.run(['undo', '--include-shared'])).toMatchObject({ code: 0 });
});

it('rewinds no command that is running, unless forced', async () => {
  const running = shell(`touch on; ${waitFor('off')}`);
  await until('on');
  const refused = await project.run(['rewind', 'latest']);
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('running') });
  expect(existsSync(project.path('on'))).toBe(true);
  expect(await project.run(['rewind', 'latest', '--force'])).toMatchObject({ code: 0 });
  project.write('off-on', '');
  await running;
});

it('tells all that a program changed, although somebody looked meanwhile', async () => {
  const running = project.run(['run', '--json', '--', 'sh', '-c', `touch on; ${waitFor('off')}`]);
  await until('on');
  await project.run(['rewind', 'latest', '--dry-run', '--force']);
  project.write('off-on', '');
  const { changes } = JSON.parse((await running).out) as { changes: object[] };
  expect(changes).toContainEqual({ path: 'on', change: 'created', unrecorded: null });
});

function shell(script: string): Promise<Result> {
  return project.run(['run', '--quiet', '--', 'sh', '-c', script]);
}

/** Waits, for a while, until another has made its sign. */
function waitFor(name: string): string {
  return `i=0; while [ ! -e ${name}-on ] && [ $i -lt 2000 ]; do sleep 0.01; i=$((i+1)); done`;
}

async function until(name: string): Promise<void> {
  for (let turn = 0; turn < 300 && !existsSync(project.path(name)); turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
