import { randomUUID } from 'node:crypto';
import { cpSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { sharedPostgres } from '../setup/shared-postgres.ts';
import { CliProject } from './cli-project.ts';
import { expectSchema } from './json-schema.ts';
import { ServerProject } from './server-project.ts';

const files = { 'a.txt': 'one\n' };

class Machine extends ServerProject {
  machine = '';

  override env(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    return super.env({ SAVEPOINT_MACHINE: this.machine, ...more });
  }
}

async function machines(...names: readonly string[]): Promise<Machine[]> {
  const [url, project] = [await sharedPostgres(), `project-${randomUUID()}`];
  return names.map((machine) => {
    const made = Object.assign(new Machine(url, project, files), { machine });
    onTestFinished(() => made.remove());
    return made;
  });
}

it('takes over what another machine did, and can take it back here', async () => {
  const [desk, laptop] = (await machines('desk', 'laptop')) as [Machine, Machine];
  expect((await desk.run(['run', '--', 'sh', '-c', 'echo two >> a.txt'])).code).toBe(0);
  cpSync(desk.root, laptop.root, { recursive: true });
  expect((await laptop.run(['save'])).code).toBe(0);
  const everywhere = await laptop.run(['sessions', '--everywhere', '--json']);
  expectSchema('sessions', everywhere.out);
  const { elsewhere } = JSON.parse(everywhere.out) as {
    elsewhere: { id: string; worktree: { machine: string; root: string } }[];
  };
  expect(elsewhere).toMatchObject([{ worktree: { machine: 'desk', root: desk.root } }]);
  expect((await laptop.run(['sessions', '--everywhere'])).out).toContain(
    'On other machines:\ndesk  run',
  );
  const came = await laptop.run(['takeover', `${elsewhere[0]?.id}`, '--from', 'desk', '--json']);
  expectSchema('takeover', came.out);
  expect(JSON.parse(came.out)).toMatchObject({ takenOver: true, checkpoints: 1, changes: 1 });
  const again = await laptop.run(['takeover', `${elsewhere[0]?.id}`]);
  expect(again).toMatchObject({ code: 5, out: expect.stringContaining('all that desk has of it') });
  const rewound = await laptop.run(['rewind', '--session', `${elsewhere[0]?.id}`, '--yes']);
  expect(rewound.code).toBe(0);
  expect([laptop.read('a.txt'), desk.read('a.txt')]).toEqual(['one\n', 'one\ntwo\n']);
  const nowhere = await laptop.run(['takeover', 'x', '--from', 'moon']);
  expect(nowhere.err).toContain('no other worktree has this id or machine');
  expect((await laptop.run(['takeover', 'x'])).err).toContain('no other worktree has this session');
});

it('says of a project in a folder that it has one worktree alone', async () => {
  const project = new CliProject(files);
  onTestFinished(() => project.remove());
  expect((await project.run(['takeover', 'x'])).err).toContain('nothing is recorded in');
  await project.run(['save']);
  const { code, err } = await project.run(['takeover', 'x']);
  expect(code).toBe(1);
  expect(err).toContain('savepoint export and savepoint import');
});
