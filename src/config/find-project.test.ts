import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync } from 'node:fs';
import { userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeScratch, removeScratch } from '../../test/e2e/scratch.ts';
import { openSavepoint } from '../index.ts';
import { findProject, homeDirectory } from './find-project.ts';

let base: string;
beforeEach(() => {
  base = realpathSync(makeScratch());
  mkdirSync(join(base, 'home'));
});
afterEach(() => removeScratch(base));

function git(cwd: string, ...args: readonly string[]): void {
  const { PATH = '' } = process.env;
  const who = ['-c', 'user.name=dummy', '-c', 'user.email=dummy@example.com'];
  const env = { PATH, HOME: join(base, 'home'), GIT_CONFIG_NOSYSTEM: '1' };
  const allow = ['-c', 'protocol.file.allow=always'];
  execFileSync('git', [...who, ...allow, ...args], { cwd, env, stdio: 'pipe' });
}

function repository(...names: readonly string[]): string {
  const root = folder(...names);
  git(root, 'init', '--quiet');
  git(root, 'commit', '--quiet', '--allow-empty', '--message', 'first');
  return root;
}

function folder(...names: readonly string[]): string {
  const path = join(base, ...names);
  mkdirSync(path, { recursive: true });
  return path;
}

async function record(project: string): Promise<void> {
  const savepoint = await openSavepoint({ project, home: join(base, 'stores') });
  await savepoint.checkpoint({});
  await savepoint.close();
}

function projectAt(cwd: string): string {
  const env = { SAVEPOINT_HOME: join(base, 'stores') };
  const io = { cwd, env, homeDirectory: join(base, 'home'), platform: process.platform };
  return findProject({ io, values: { get: () => undefined } });
}

describe('the project of an agent', () => {
  it('is the folder itself where there is nothing else', () => {
    const plain = folder('plain', 'sub');
    expect(projectAt(plain)).toBe(plain);
  });

  it('is that of an agent at the root of the repository, before and after it is recorded', async () => {
    const root = repository('repo');
    const sub = folder('repo', 'packages', 'one');
    expect(projectAt(sub)).toBe(root);
    await record(root);
    expect(projectAt(sub)).toBe(root);
    expect(projectAt(root)).toBe(root);
  });

  it('is each worktree of a repository by itself, also one that lies inside of another', async () => {
    const root = repository('repo');
    const beside = join(base, 'beside');
    git(root, 'worktree', 'add', '--quiet', beside);
    const inside = join(root, 'trees', 'inside');
    git(root, 'worktree', 'add', '--quiet', inside);
    expect(projectAt(folder('beside', 'sub'))).toBe(beside);
    expect(projectAt(folder('repo', 'trees', 'inside', 'sub'))).toBe(inside);
    await record(beside);
    expect(projectAt(folder('repo', 'sub'))).toBe(root);
  });

  it('is a nested repository or a submodule, unless the one around it is on record', async () => {
    const root = repository('repo');
    const nested = repository('repo', 'vendor', 'nested');
    repository('library');
    git(root, 'submodule', '--quiet', 'add', join(base, 'library'), 'module');
    expect(projectAt(folder('repo', 'vendor', 'nested', 'sub'))).toBe(nested);
    expect(projectAt(join(root, 'module'))).toBe(join(root, 'module'));
    await record(root);
    expect(projectAt(nested)).toBe(root);
    expect(projectAt(join(root, 'module'))).toBe(root);
    await record(nested);
    expect(projectAt(nested)).toBe(nested);
  });

  it('is not the home directory, though that is in git', () => {
    repository('home');
    const notes = folder('home', 'notes');
    expect(projectAt(notes)).toBe(notes);
  });
});

it('takes HOME where that is a whole path', () => {
  expect(homeDirectory({ HOME: '/home/somebody' })).toBe('/home/somebody');
});

it.each([undefined, '', '.', 'somewhere'])('never takes the current folder for HOME=%j', (HOME) => {
  expect(homeDirectory({ HOME })).toBe(userInfo().homedir);
  expect(isAbsolute(homeDirectory({ HOME }))).toBe(true);
});
