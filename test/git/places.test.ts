import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { gitHead } from '../../src/capture/git/find-repository.ts';
import { GitRepository, withGitRepository } from './git-repository.ts';
import { baselineOf, refusalFrom, takenFrom } from './taken.ts';

describe('where a project lies', () => {
  it('takes the files of a project that is a folder of the repository, by their paths in it', () =>
    withGitRepository(async (repository) => {
      const files = { 'a/b/one': '1', 'a/b/c/two': '2', 'a/b-other': '3', top: '4' };
      await repository.commit(files);
      const root = join(repository.root, 'a/b');
      assert.deepEqual(await takenFrom(repository, undefined, root), ['c/two', 'one']);
    }));

  it('passes over a .git that is no repository, as git does', () =>
    withGitRepository(async (repository) => {
      await repository.commit({ 'inner/a': 'one' });
      const inner = join(repository.root, 'inner');
      mkdirSync(join(inner, '.git'));
      assert.match(repository.git('-C', 'inner', 'rev-parse', '--show-prefix'), /^inner/);
      assert.deepEqual(await takenFrom(repository, undefined, inner), ['a']);
    }));

  it('takes nothing of such a project while attributes above it are in motion', () =>
    withGitRepository(async (repository) => {
      const attributes = { '.gitattributes': 'x ident\n', 'b/.gitattributes': 'x ident\n' };
      await repository.commit({ ...attributes, 'a/one': '1' });
      const root = join(repository.root, 'a');
      repository.write('b/.gitattributes', 'y ident\n');
      assert.deepEqual(await takenFrom(repository, undefined, root), ['one']);
      repository.write('.gitattributes', 'y ident\n');
      assert.deepEqual(await takenFrom(repository, undefined, root), []);
    }));

  it('does not care how many attributes are in motion elsewhere', () =>
    withGitRepository(async (repository) => {
      const folders = Array.from({ length: 201 }, (_, i) => `b/${i}/.gitattributes`);
      const files = Object.fromEntries(folders.map((path) => [path, 'x ident\n']));
      await repository.commit({ ...files, 'a/one': '1' });
      repository.git('rm', '-r', '--cached', '--quiet', 'b');
      const root = join(repository.root, 'a');
      assert.deepEqual(await takenFrom(repository, undefined, root), ['one']);
      assert.deepEqual(await takenFrom(repository), []);
    }));

  it('takes the files of a linked worktree from its own index and HEAD', () =>
    withGitRepository(async (repository, folder) => {
      await repository.commit({ a: 'one', b: 'two' });
      const linked = new GitRepository(join(folder, 'linked'), repository.environment.HOME);
      repository.git('worktree', 'add', '--quiet', '-b', 'side', linked.root);
      await linked.commit({ a: 'three' });
      await repository.commit({ b: 'four' });
      assert.deepEqual(await takenFrom(linked), ['a', 'b']);
      assert.equal((await baselineOf(linked)).head, linked.git('rev-parse', 'side').trim());
      linked.write('../project/.git/worktrees/linked/index.lock', '');
      assert.equal(await refusalFrom(linked), 'index-locked');
      assert.equal(await refusalFrom(repository), null);
    }));

  it('takes the files of a worktree whose .git is a file that points elsewhere', () =>
    withGitRepository(async (repository, folder) => {
      await repository.commit({ a: 'one' });
      repository.git('init', '--quiet', `--separate-git-dir=${join(folder, 'apart')}`);
      assert.deepEqual(await takenFrom(repository), ['a']);
    }));

  it('finds HEAD on a branch, packed away, and detached', () =>
    withGitRepository(async (repository) => {
      assert.equal(gitHead(repository.root), null);
      await repository.commit({ a: 'one' });
      const head = repository.git('rev-parse', 'HEAD').trim();
      assert.equal(gitHead(repository.root), head);
      repository.git('pack-refs', '--all');
      assert.equal(gitHead(repository.root), head);
      repository.git('checkout', '--quiet', '--detach');
      assert.equal(gitHead(repository.root), head);
      assert.deepEqual(await takenFrom(repository), ['a']);
    }));
});
