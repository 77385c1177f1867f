import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliProject } from './cli-project.ts';

let project: CliProject;
beforeEach(() => {
  project = new CliProject({ 'a.txt': 'one\n', 'src/b.txt': 'two\n', '.gitignore': 'out/\n' });
});
afterEach(() => project.remove());

describe('savepoint status', () => {
  it('says what is covered, what is not and why, and what is ignored', async () => {
    project.write('out/built', 'x');
    writeFileSync(project.path('large.bin'), Buffer.alloc(11 * 1024 * 1024));
    expect((await project.run(['run', '--', 'true'])).code).toBe(0);
    const { code, out } = await project.run(['status']);
    expect(code).toBe(0);
    expect(out).toMatch(/Worktree {5}5 entries at the first scan, 0 of them held by git/);
    expect(out).toMatch(/Not covered {2}1 path\n +large\.bin {2}it was too large to record/);
    expect(out).toMatch(/Left out {5}1 name.*\n +out$/m);
  });

  it('gives programs every path', async () => {
    project.write('out/built', 'x');
    await project.run(['run', '--', 'true']);
    const { code, out } = await project.run(['status', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      version: 1,
      project: project.root,
      newest: { coverage: 'scanned' },
      worktree: { entries: 4, fromGit: 0, unrecorded: [], ignored: ['out'] },
      running: [],
    });
  });

  it('says that only named files are on record where nothing was ever scanned', async () => {
    await project.agentWrites('m1', 'a.txt', 'changed\n');
    const { out } = await project.run(['status']);
    expect(out).toContain('not scanned: only files that tools named are on record');
    expect(JSON.parse((await project.run(['status', '--json'])).out).worktree).toBeNull();
  });
});

describe('savepoint materialize', () => {
  it('writes the tree of a checkpoint into a folder that is not there yet', async () => {
    await project.run(['run', '--', 'sh', '-c', 'echo new > a.txt; rm -r src; echo c > c.txt']);
    const target = join(project.scratch, 'before');
    const { code, out } = await project.run(['materialize', 'latest', target]);
    expect(code).toBe(0);
    expect(out).toBe(`Written to ${target}: 3 files, 1 folder, 0 links.\n`);
    expect(readFileSync(join(target, 'a.txt'), 'utf8')).toBe('one\n');
    expect(readFileSync(join(target, 'src/b.txt'), 'utf8')).toBe('two\n');
    expect(existsSync(join(target, 'c.txt'))).toBe(false);
    expect(project.read('a.txt')).toBe('new\n');
  });

  it('refuses a folder that holds something, and writes nothing into it', async () => {
    await project.run(['run', '--', 'true']);
    const target = join(project.scratch, 'full');
    mkdirSync(target);
    writeFileSync(join(target, 'mine'), 'mine');
    const { code, err } = await project.run(['materialize', 'latest', target]);
    expect(code).toBe(2);
    expect(err).toContain('the folder is not empty');
    expect(existsSync(join(target, 'a.txt'))).toBe(false);
  });

  it('refuses a checkpoint from before the first scan', async () => {
    const id = await project.agentWrites('m1', 'a.txt', 'changed\n');
    await project.run(['run', '--', 'true']);
    const target = join(project.scratch, 'early');
    const { code, out } = await project.run(['materialize', id, target, '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ error: { code: 'not-covered' } });
    expect(existsSync(target)).toBe(false);
  });
});

describe('savepoint diff after a command that renamed', () => {
  it('shows a rename as one', async () => {
    await project.run(['run', '--', 'true']);
    renameSync(project.path('a.txt'), project.path('z.txt'));
    rmSync(project.path('src/b.txt'));
    const { out } = await project.run(['diff', 'latest']);
    expect(out).toContain('diff --git a/a.txt b/z.txt\nsimilarity index 100%\nrename from a.txt\n');
    expect(out).toContain('2 paths changed, 0 insertions(+), 1 deletion(-), 1 deleted, 1 renamed');
    const { files } = JSON.parse((await project.run(['diff', 'latest', '--json'])).out);
    expect(files).toMatchObject([
      { path: 'src/b.txt', status: 'deleted' },
      { path: 'z.txt', status: 'renamed', from: 'a.txt' },
    ]);
  });
});
