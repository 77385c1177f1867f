import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { keepObjects } from '../../src/capture/git/keep-objects.ts';
import { loadGlobalRules } from '../../src/capture/ignore/global-rules.ts';
import { GitObjects } from '../../src/store/sqlite/git-objects.ts';
import { type GitRepository, withGitRepository } from './git-repository.ts';
import { baselineOf, refusalFrom } from './taken.ts';

/** Settings that name a program, which some command of git would run. */
const PROGRAMS = [
  'core.fsmonitor',
  'core.pager',
  'pager.ls-tree',
  'pager.config',
  'pager.cat-file',
  'pager.check-attr',
  'core.editor',
  'core.sshCommand',
  'core.gitProxy',
  'core.askPass',
  'core.alternateRefsCommand',
  'credential.helper',
  'diff.external',
  'diff.marked.textconv',
  'merge.marked.driver',
  'gpg.program',
  'uploadpack.packObjectsHook',
  'filter.lfs.clean',
  'filter.lfs.smudge',
  'filter.lfs.process',
];

describe('programs that a repository names', () => {
  it('runs none of them', () =>
    withGitRepository(async (repository, folder) => {
      const marks = await repositoryOfTraps(repository, folder);
      const baseline = await baselineOf(repository);
      assert.equal(baseline.count, 1);
      const store = join(folder, 'store');
      assert.equal(await keepObjects(repository.root, store, baseline, 1024 * 1024), null);
      const kept = new GitObjects(store);
      for (const { oid } of baseline.entries) kept.read(oid);
      assert.equal(existsSync(marks), false);
      // The traps do work: this is what `git status` would have done.
      repository.git('status');
      assert.equal(existsSync(marks), true);
    }));

  it('runs none of them while it refuses filters', () =>
    withGitRepository(async (repository, folder) => {
      const marks = await repositoryOfTraps(repository, folder);
      for (const way of ['clean', 'smudge', 'process']) {
        repository.git('config', `filter.marked.${way}`, join(folder, 'trap'));
      }
      assert.equal(await refusalFrom(repository), 'filter-driver');
      assert.equal(existsSync(marks), false);
    }));

  it('finds no git in the project, even where PATH says to look in the present folder', () =>
    withGitRepository(async (repository, folder) => {
      const marks = await repositoryOfTraps(repository, folder);
      writeFileSync(join(repository.root, 'git'), `#!/bin/sh\necho git >> ${marks}\n`);
      chmodSync(join(repository.root, 'git'), 0o755);
      const { PATH, HOME } = repository.environment;
      const lured = { root: repository.root, environment: { PATH: `.:${PATH}`, HOME } };
      assert.equal(await refusalFrom(lured as GitRepository), null);
      assert.equal(existsSync(marks), false);
    }));

  const lures: [what: string, path: (root: string, folder: string) => string][] = [
    ['a folder of the project', (root) => join(root, 'bin')],
    ['a link into the project', (root, folder) => linkTo(join(root, 'bin'), join(folder, 'bin'))],
    [
      'a folder whose git is a link into the project',
      (root, folder) => {
        mkdirSync(join(folder, 'programs'));
        linkTo(join(root, 'bin/git'), join(folder, 'programs/git'));
        return join(folder, 'programs');
      },
    ],
  ];
  it.each(lures)('finds no git in the project where PATH names %s', (_what, lure) =>
    withGitRepository(async (repository, folder) => {
      const marks = await repositoryOfTraps(repository, folder);
      repository.write('bin/git', `#!/bin/sh\necho git >> ${marks}\n`);
      chmodSync(join(repository.root, 'bin/git'), 0o755);
      const { PATH, HOME } = repository.environment;
      const environment = { PATH: `${lure(repository.root, folder)}:${PATH}`, HOME };
      // The global rules ask git too, because this configuration names a file.
      repository.git('config', 'core.excludesFile', join(folder, 'rules'));
      loadGlobalRules(repository.root, environment);
      const lured = { root: repository.root, environment };
      assert.equal(await refusalFrom(lured as GitRepository), null);
      assert.equal(existsSync(marks), false);
    }),
  );

  it('finds no git in the repository around the project', () =>
    withGitRepository(async (repository, folder) => {
      const marks = await repositoryOfTraps(repository, folder);
      repository.write('bin/git', `#!/bin/sh\necho git >> ${marks}\n`);
      chmodSync(join(repository.root, 'bin/git'), 0o755);
      const { PATH, HOME } = repository.environment;
      const environment = { PATH: `${join(repository.root, 'bin')}:${PATH}`, HOME };
      const lured = { root: join(repository.root, 'sub'), environment };
      await refusalFrom(lured as GitRepository);
      assert.equal(existsSync(marks), false);
    }));

  it('works without git rather than with one of the project', () =>
    withGitRepository(async (repository, folder) => {
      const marks = await repositoryOfTraps(repository, folder);
      repository.write('bin/git', `#!/bin/sh\necho git >> ${marks}\n`);
      chmodSync(join(repository.root, 'bin/git'), 0o755);
      const environment = { PATH: join(repository.root, 'bin'), HOME: folder };
      const lured = { root: repository.root, environment };
      assert.equal(await refusalFrom(lured as GitRepository), 'git-missing');
      assert.equal(existsSync(marks), false);
    }));
});

function linkTo(target: string, link: string): string {
  symlinkSync(target, link);
  return link;
}

/** Commits one ordinary file and one with every attribute; returns where the traps leave their mark. */
async function repositoryOfTraps(repository: GitRepository, folder: string): Promise<string> {
  const marks = join(folder, 'marks');
  const trap = join(folder, 'trap');
  await repository.commit({ plain: 'one', 'sub/marked': 'two' });
  writeFileSync(trap, `#!/bin/sh\necho "$0 $*" >> ${marks}\ncat\n`);
  chmodSync(trap, 0o755);
  mkdirSync(join(repository.root, '.git/info'), { recursive: true });
  repository.write('.git/info/attributes', 'marked filter=lfs diff=marked merge=marked\n');
  for (const key of PROGRAMS) repository.git('config', key, trap);
  for (const command of ['ls-tree', 'config', 'cat-file', 'check-attr']) {
    repository.git('config', `alias.${command}`, `!${trap}`);
  }
  repository.git('config', 'core.hooksPath', join(folder, 'hooks'));
  for (const hook of ['post-index-change', 'post-checkout', 'reference-transaction']) {
    repository.write(`../hooks/${hook}`, `#!/bin/sh\necho ${hook} >> ${marks}\n`);
    chmodSync(join(folder, 'hooks', hook), 0o755);
  }
  rmSync(marks, { force: true });
  return marks;
}
