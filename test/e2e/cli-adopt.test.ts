import { cpSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { CliProject } from './cli-project.ts';
import { expectSchema } from './json-schema.ts';

let project: CliProject;
afterEach(() => project.remove());

describe('savepoint adopt', () => {
  it('lets a folder that was re-created carry on its timeline, and nobody else touch it before', async () => {
    project = new CliProject({ 'a.txt': 'old\n' });
    const id = await project.agentWrites('m1', 'a.txt', 'new\n');
    renameSync(project.root, `${project.root}-before`);
    cpSync(`${project.root}-before`, project.root, { recursive: true });

    const refused = await project.run(['rewind', id]);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain('is not the folder that this timeline was recorded in');
    expect(refused.err).toMatch(/hint: .* with: savepoint adopt\n$/);
    expect(project.read('a.txt')).toBe('new\n');
    const elsewhere = await project.run(['list', '--project', project.root], {
      cwd: project.scratch,
    });
    expect(elsewhere.err).toContain(`savepoint adopt --project ${project.root}\n`);
    const joined = await project.run(['list', `--project=${project.root}`]);
    expect(joined.err).toBe(elsewhere.err);

    expect((await project.run(['adopt'])).code).toBe(0);
    expect((await project.run(['rewind', id])).code).toBe(0);
    expect(project.read('a.txt')).toBe('old\n');
    const again = await project.run(['adopt', '--json']);
    expect(again.code).toBe(5);
    expectSchema('adopt', again.out);
    expect(JSON.parse(again.out)).toEqual({ version: 1, adopted: false, project: project.root });
    expect((await project.run(['adopt', 'extra'])).code).toBe(2);
  });

  it('carries the timeline of a folder that was moved, once it is told from where', async () => {
    project = new CliProject({ 'a.txt': 'old\n' });
    const id = await project.agentWrites('m1', 'a.txt', 'new\n');
    const moved = join(project.scratch, 'moved here');
    renameSync(project.root, moved);

    const list = await project.run(['list'], { cwd: moved });
    expect(list).toMatchObject({ code: 4, out: '' });
    expect(list.err).toContain(`hint: this folder was recorded as ${project.root}; `);
    expect(list.err).toMatch(/with: savepoint adopt --from \S+\/project\n$/);
    expect((await project.run(['adopt'], { cwd: moved })).code).toBe(4);

    const adopted = await project.run(['adopt', '--from', '../project'], { cwd: moved });
    expect(adopted).toMatchObject({ code: 0, out: `Done: ${moved} carries on its timeline.\n` });
    expect((await project.run(['rewind', id], { cwd: moved })).code).toBe(0);
    expect(readFileSync(join(moved, 'a.txt'), 'utf8')).toBe('old\n');
  });

  it('says at a terminal what it did and what to do next', async () => {
    project = new CliProject({ 'a.txt': 'old\n' });
    await project.agentWrites('m1', 'a.txt', 'new\n');
    const { code, rows } = await project.see(['adopt'], { columns: 200 });
    expect(code).toBe(5);
    expect(rows).toEqual([
      `Nothing to do: the timeline belongs to ${project.root}.`,
      'hint: see it with: savepoint list',
    ]);
    expect(await project.run(['adopt', '--quiet'])).toEqual({ code: 5, out: '', err: '' });
    expect((await project.run(['adopt', '--help'])).out).toMatchInlineSnapshot(`
      "usage: savepoint adopt [options]

      A timeline belongs to one folder. When another folder stands at the same path (restored from a
      backup, cloned anew), Savepoint refuses to touch it until you say that it is the same project. For a
      folder that was moved, say from where: its timeline is still kept under the old path.

      options:
        --from OLDPATH  where the folder was before it was moved
        --project DIR   the project; by default the one around the current folder
        --json          print JSON for programs, and nothing else, on standard output
        --quiet         print results and problems, no remarks and no hints
        --no-color      no colours (also NO_COLOR=1; FORCE_COLOR=1 for the opposite)
        --help          show this help

      examples:
        savepoint adopt                     this folder carries on the timeline recorded at its path
        savepoint adopt --from ~/old/place  this folder was moved, with all that is in it
      "
    `);
  });

  it('leaves a timeline with the folder that it was recorded in', async () => {
    project = new CliProject({ 'a.txt': 'old\n' });
    await project.agentWrites('m1', 'a.txt', 'new\n');
    const other = join(project.scratch, 'other');
    mkdirSync(other);
    const { code, err } = await project.run(['adopt', '--from', project.root], { cwd: other });
    expect(code).toBe(1);
    expect(err).toMatch(/^savepoint: \S+\/project is still there\nhint: the timeline stays with /);
    expect((await project.run(['list'])).out).toContain('message m1');
  });

  it('finds nothing to adopt where nothing was recorded', async () => {
    project = new CliProject();
    const { code, value } = await project.json(['adopt']);
    expect(code).toBe(4);
    expect(value).toMatchObject({ error: { code: 'store-missing', path: project.root } });
  });
});

describe('where things are', () => {
  it('looks for stores below XDG_DATA_HOME, else in the home directory', async () => {
    project = new CliProject({ 'a.txt': 'old\n' });
    await project.agentWrites('m1', 'a.txt', 'new\n');
    const data = join(project.scratch, 'user', '.local', 'share');
    mkdirSync(data, { recursive: true });
    renameSync(project.home, join(data, 'savepoint'));
    const byHome = await project.run(['list'], { env: { SAVEPOINT_HOME: '' } });
    expect(byHome.out).toContain('message m1');
    const env = { SAVEPOINT_HOME: '', XDG_DATA_HOME: data, HOME: project.scratch };
    expect((await project.run(['list'], { env })).out).toContain('message m1');
  });

  it('refuses a home directory as a project, and a relative SAVEPOINT_HOME', async () => {
    project = new CliProject();
    const home = await project.run(['list'], { env: { HOME: project.root } });
    expect(home).toMatchObject({
      code: 2,
      err: expect.stringContaining('cannot be a project: it holds the settings, keys and data'),
    });
    const relative = await project.run(['list'], { env: { SAVEPOINT_HOME: 'stores' } });
    expect(relative).toMatchObject({
      code: 2,
      err: 'savepoint: SAVEPOINT_HOME must be an absolute path\n',
    });
  });

  it('takes the git worktree around the current folder for the project', async () => {
    project = new CliProject();
    mkdirSync(project.path('.git'));
    mkdirSync(project.path('deep'));
    const { code, err } = await project.run(['undo'], { cwd: project.path('deep') });
    expect(code).toBe(4);
    expect(err).toContain(`nothing is recorded in ${project.root} yet`);
  });
});
