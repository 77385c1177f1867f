import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { skipVisibly } from '../crash/strace/needs-strace.ts';
import { mountProblem, mountReadOnly, unmount } from '../setup/mounts.ts';
import { CliProject } from './cli-project.ts';
import { asOrdinaryUser } from './ordinary-user.ts';

const TITLE = 'a store on a disk that cannot be written to';
const problem = mountProblem();
if (problem === null) describe(TITLE, onReadOnlyDisk);
else skipVisibly(TITLE, problem, onReadOnlyDisk);

function onReadOnlyDisk(): void {
  let project: CliProject;
  let first: string;

  beforeEach(async () => {
    project = new CliProject({ 'a.txt': 'old\n' });
    first = await project.agentWrites('m1', 'a.txt', 'new\n');
    await project.agentWrites('m2', 'b.txt', 'more\n');
  });
  afterEach(() => {
    if (isMounted) unmount(project.home);
    isMounted = false;
    project.remove();
  });

  let isMounted = false;
  function freeze(): void {
    mountReadOnly(project.home);
    isMounted = true;
  }

  function store(): string {
    const [key = ''] = readdirSync(join(project.home, 'projects'));
    return join(project.home, 'projects', key);
  }

  const database = (): string => join(store(), 'store.db');

  it.each([['list'], ['fsck'], ['status'], ['ops'], ['sessions']])('%s works', async (verb) => {
    const before = await project.run([verb]);
    // A check leaves an empty log behind, which would help the next one. Closing the store removes it.
    await project.open(async () => {});
    freeze();
    expect(await project.run([verb])).toEqual(before);
  });

  it('diff and show work', async () => {
    freeze();
    expect((await project.run(['diff', first])).out).toContain('+new');
    expect((await project.run(['show', first])).code).toBe(0);
  });

  it('list and fsck see what a killed process left in the log', async () => {
    const sql = "UPDATE checkpoints SET label = 'kept in the log', seal = NULL";
    const script = `
      const { DatabaseSync } = require('node:sqlite');
      new DatabaseSync(${JSON.stringify(database())}).exec(${JSON.stringify(sql)});
      process.kill(process.pid, 'SIGKILL');`;
    spawnSync(process.execPath, ['-e', script]);
    expect(existsSync(`${database()}-wal`)).toBe(true);
    freeze();
    expect((await project.run(['list'])).out).toContain('kept in the log');
    const { code, out } = await project.run(['fsck']);
    expect(code).toBe(1);
    expect(out).not.toContain('write-ahead log');
  });

  it('list works where work of an interrupted command is left to do, and says so', async () => {
    const opened = new DatabaseSync(database());
    opened.exec("INSERT INTO meta (key, value) VALUES ('scrub', 1)");
    opened.close();
    freeze();
    const { code, out, err } = await project.run(['list']);
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('message m2') });
    expect(err).toContain('cannot be written to');
  });

  it.each([
    ['save', ['save', '-m', 'x']],
    ['rewind', ['rewind', 'latest', '--yes']],
    ['fsck --repair', ['fsck', '--repair']],
  ])('%s is refused, and says why', async (_name, args) => {
    freeze();
    const { code, err } = await project.run(args);
    expect(code).toBe(1);
    expect(err).toContain('the store cannot be written to');
    expect(project.read('b.txt')).toBe('more\n');
  });
}

describe('a store in a folder that may not be written to', () => {
  it('is listed and checked', async () => {
    const project = new CliProject({ 'a.txt': 'old\n' });
    for (const folder of [project.scratch, project.root]) chmodSync(folder, 0o777);
    await asOrdinaryUser(async () => {
      await project.agentWrites('m1', 'b.txt', 'new\n');
      const [key = ''] = readdirSync(join(project.home, 'projects'));
      const folder = join(project.home, 'projects', key);
      chmodSync(folder, 0o500);
      expect((await project.run(['list'])).out).toContain('message m1');
      expect((await project.run(['fsck'])).code).toBe(0);
      chmodSync(folder, 0o700);
    });
    project.remove();
  });
});
