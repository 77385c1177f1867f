import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { CliProject, PATH } from './cli-project.ts';
import { treeOf } from './tree-of.ts';

let project: CliProject;
afterEach(() => project.remove());

const PATHS = 'edited.txt gone.txt run.sh old/moved.txt new/moved.txt made.txt empty.txt link'
  .split(' ')
  .concat('a name.txt', 'quo"te\t.txt', 'ünïcode.txt', 'short.txt', 'became', 'folder');

/** All that a patch of texts can hold. */
async function work(): Promise<string> {
  project = new CliProject({
    'edited.txt': '1\n2\n3\n4\n5\n6\n7\n8\n9\n',
    'gone.txt': 'bye\n',
    'run.sh': 'echo\n',
    'old/moved.txt': 'the same\n',
    // Otherwise git would remove the folder.
    'old/stays.txt': 'here\n',
    'a name.txt': 'one\n',
    'quo"te\t.txt': 'one\n',
    'ünïcode.txt': 'ä\n',
    'short.txt': 'no newline',
    became: 'a file\n',
  });
  for (const name of ['run.sh', 'old/moved.txt']) chmodSync(project.path(name), 0o644);
  return project.agent({
    message: 'm1',
    paths: PATHS,
    work: () => {
      project.write('edited.txt', '1\n2\n3\nfour\n5\n6\n7\n8\n9\nten');
      rmSync(project.path('gone.txt'));
      chmodSync(project.path('run.sh'), 0o755);
      mkdirSync(project.path('new'));
      renameSync(project.path('old/moved.txt'), project.path('new/moved.txt'));
      project.write('made.txt', 'made\n');
      project.write('empty.txt', '');
      symlinkSync('edited.txt', project.path('link'));
      project.write('a name.txt', 'two\n');
      project.write('quo"te\t.txt', 'two\n');
      project.write('ünïcode.txt', 'ö\n');
      project.write('short.txt', 'still none');
      rmSync(project.path('became'));
      symlinkSync('edited.txt', project.path('became'));
      mkdirSync(project.path('folder'));
      chmodSync(project.path('folder'), 0o755);
    },
  });
}

function gitApply(...args: string[]): { status: number | null; stderr: string } {
  const env = {
    PATH,
    HOME: project.scratch,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CEILING_DIRECTORIES: '/',
  };
  return spawnSync('git', ['apply', '--verbose', ...args], {
    cwd: project.root,
    env,
    encoding: 'utf8',
  });
}

describe('what savepoint diff prints of texts', () => {
  it('is a patch that git takes back: edits, names, modes, links, new and deleted files', async () => {
    const id = await work();
    const { out, err } = await project.run(['diff', id]);
    expect(err).not.toContain('no patch');
    expect(out).toContain('\nFolder folder: new, mode 755\n');
    const patch = join(project.scratch, 'a.patch');
    writeFileSync(patch, out);
    const there = treeOf(project.root);
    expect(gitApply('-R', patch)).toMatchObject({
      status: 0,
      stderr: expect.not.stringMatching(/^error/m),
    });
    expect(project.read('edited.txt')).toBe('1\n2\n3\n4\n5\n6\n7\n8\n9\n');
    expect(project.read('old/moved.txt')).toBe('the same\n');
    expect(project.read('made.txt')).toBeNull();
    expect(project.read('empty.txt')).toBeNull();
    expect(project.read('quo"te\t.txt')).toBe('one\n');
    expect(project.read('became')).toBe('a file\n');
    // Nothing is left to take back but the folders, which a patch knows nothing of.
    const left = await project.run(['diff', id, '--stat']);
    expect(left.out).toMatch(/^ folder \| +0 \(created\)\n1 path changed/);
    expect(gitApply(patch)).toMatchObject({
      status: 0,
      stderr: expect.not.stringMatching(/^error/m),
    });
    expect(treeOf(project.root)).toEqual(there);
  });

  it('is a patch forward from an older checkpoint to a newer one', async () => {
    const id = await work();
    const later = await project.agentWrites('m2', 'made.txt', 'more\n');
    const patch = join(project.scratch, 'a.patch');
    writeFileSync(patch, (await project.run(['diff', later, id])).out);
    project.write('made.txt', 'made\n');
    expect(gitApply('--check', patch)).toMatchObject({
      status: 0,
      stderr: expect.not.stringMatching(/^error/m),
    });
  });
});

describe('what savepoint diff prints of other things', () => {
  it('says as git does that files are binary, and that it is no patch', async () => {
    project = new CliProject({ 'a.txt': 'old\n' });
    const id = await project.agent({
      message: 'm1',
      paths: ['data.bin', 'a.txt'],
      work: () => {
        writeFileSync(project.path('data.bin'), Buffer.from([1, 0, 2]));
        project.write('a.txt', 'new\n');
      },
    });
    const { out, err } = await project.run(['diff', id]);
    expect(out).toContain('\nBinary files /dev/null and b/data.bin differ\n');
    expect(err).toContain('savepoint: this is no patch for git: data.bin is binary\n');
    const patch = join(project.scratch, 'a.patch');
    writeFileSync(patch, out);
    expect(gitApply('--check', '-R', patch).status).not.toBe(0);
    const text = await project.run(['diff', id, 'a.txt']);
    expect(text.err).not.toContain('no patch');
  });

  it('says of characters that are shown as their numbers that git cannot apply them', async () => {
    project = new CliProject({ 'dos.txt': 'old\r\n' });
    const id = await project.agentWrites('m1', 'dos.txt', 'new\r\n');
    const { out, err } = await project.run(['diff', id]);
    expect(out).toContain('-old\\r\n+new\\r\n');
    expect(err).toContain('no patch for git: dos.txt holds characters');
  });
});
