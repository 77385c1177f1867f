import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { gitBranch } from './git-branch.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'git-branch-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): void {
  mkdirSync(join(folder, name, '..'), { recursive: true });
  writeFileSync(join(folder, name), text);
}

it('is read from HEAD, also from a folder within the repository', () => {
  write('.git/HEAD', 'ref: refs/heads/feature/one\n');
  mkdirSync(join(folder, 'src/deep'), { recursive: true });
  expect(gitBranch(folder)).toBe('feature/one');
  expect(gitBranch(join(folder, 'src/deep'))).toBe('feature/one');
});

it('is the beginning of the commit where no branch is checked out', () => {
  write('.git/HEAD', `${'0123456789'.repeat(4)}\n`);
  expect(gitBranch(folder)).toBe('0123456');
});

it('is that of a worktree, whose .git is a file', () => {
  write('.git/HEAD', 'ref: refs/heads/main\n');
  write('.git/worktrees/two/HEAD', 'ref: refs/heads/two\n');
  write('elsewhere/two/.git', `gitdir: ${join(folder, '.git/worktrees/two')}\n`);
  write('elsewhere/three/.git', 'gitdir: ../../.git/worktrees/two\n');
  expect(gitBranch(join(folder, 'elsewhere/two'))).toBe('two');
  expect(gitBranch(join(folder, 'elsewhere/three'))).toBe('two');
});

it('is nothing where there is no repository, or what is there makes no sense', () => {
  expect(gitBranch(folder)).toBeNull();
  write('.git/HEAD', 'what is this\n');
  expect(gitBranch(folder)).toBeNull();
});
