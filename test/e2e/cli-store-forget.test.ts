import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { sharedPostgres } from '../setup/shared-postgres.ts';
import { expectSchema } from './json-schema.ts';
import { ServerProject } from './server-project.ts';

/** A folder of a project on the server, on a machine of this name, with one checkpoint. */
async function worktreeOn(machine: string, project: string): Promise<ServerProject> {
  const made = new ServerProject(await sharedPostgres(), project, { 'a.txt': `${machine}\n` });
  onTestFinished(() => made.remove());
  const env = { SAVEPOINT_MACHINE: machine };
  expect((await made.run(['save', '-m', `of ${machine}`], { env })).code).toBe(0);
  return made;
}

it('shows the worktrees of a project, and removes that of a machine that is gone', async () => {
  const project = `forget-${randomUUID()}`;
  const desk = await worktreeOn('desk', project);
  const gone = await worktreeOn('build-7', project);
  const shown = await desk.run(['store']);
  expect(shown.out).toMatch(/^Worktree {3}build-7 {2}[0-9a-f]{8} {2}.*, active just now$/m);
  expect(shown.out).toMatch(/^Worktree {3}desk .*, this one$/m);
  expect((await desk.run(['store', 'forget', 'build-7'])).code).toBe(2);
  const forgotten = await desk.run(['store', 'forget', 'build-7', '--yes', '--json']);
  expectSchema('store-forget', forgotten.out);
  expect(JSON.parse(forgotten.out)).toMatchObject({ forgotten: { machine: 'build-7' } });
  const left = await desk.run(['store', '--json']);
  expectSchema('store', left.out);
  expect(JSON.parse(left.out).worktrees).toMatchObject([{ machine: 'desk' }]);
  expect((await desk.run(['list'])).out).toContain('of desk');
  expect((await gone.run(['list'])).code).toBe(1);
});

it('asks for more where several fit, and refuses the worktree of this folder', async () => {
  const project = `forget-${randomUUID()}`;
  const desk = await worktreeOn('desk', project);
  await worktreeOn('build', project);
  await worktreeOn('build', project);
  const { worktrees } = JSON.parse((await desk.run(['store', '--json'])).out) as {
    worktrees: { id: string; machine: string }[];
  };
  const forget = (name: string) => desk.run(['store', 'forget', name, '--yes']);
  expect((await forget('build')).err).toContain('several');
  expect((await forget('nobody')).err).toContain('no such worktree');
  expect((await forget('desk')).code).toBe(2);
  const first = worktrees.find(({ machine }) => machine === 'build')?.id.slice(0, 13) ?? '';
  expect((await forget(first)).code).toBe(0);
  expect((await forget('build')).code).toBe(0);
  expect((await desk.run(['list'])).code).toBe(0);
});
