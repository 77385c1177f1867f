import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chownSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { startGitBaseline } from '../../src/capture/git/baseline.ts';
import { withTemporaryFolder } from '../setup/temporary-folder.ts';
import { GitRepository, withGitRepository } from './git-repository.ts';
import { refusalFrom, takenFrom } from './taken.ts';

describe('repositories of which nothing is taken', () => {
  it('refuses a folder without git', () =>
    withTemporaryFolder(async (folder) => {
      assert.equal(await refusalFrom(new GitRepository(folder, folder)), 'no-repository');
    }));

  it('refuses an empty .git', () =>
    withTemporaryFolder(async (folder) => {
      mkdirSync(join(folder, '.git'));
      assert.equal(await refusalFrom(new GitRepository(folder, folder)), 'no-repository');
    }));

  it.each([
    ['HEAD', 'no-repository'],
    ['config', 'no-repository'],
    ['refs/heads/main', 'no-commit'],
    ['index', 'index-damaged'],
  ])('does not wait at a FIFO in place of %s', (file, reason) =>
    withGitRepository(async (repository) => {
      await repository.commit({ a: 'one' });
      const path = join(repository.root, '.git', file);
      unlinkSync(path);
      execFileSync('mkfifo', [path], { env: repository.environment });
      assert.equal(await refusalFrom(repository), reason);
    }),
  );

  it('refuses before the first commit', () =>
    withGitRepository(async (repository) => {
      repository.write('a', 'one');
      repository.git('add', 'a');
      assert.equal(await refusalFrom(repository), 'no-commit');
    }));

  it('refuses a repository without an index, or with a link for one', () =>
    withGitRepository(async (repository, folder) => {
      await repository.commit({ a: 'one' });
      const index = join(repository.root, '.git/index');
      writeFileSync(join(folder, 'elsewhere'), readFileSync(index));
      unlinkSync(index);
      assert.equal(await refusalFrom(repository), 'no-index');
      symlinkSync(join(folder, 'elsewhere'), index);
      assert.equal(await refusalFrom(repository), 'no-index');
    }));

  it('refuses while the index is locked', () =>
    withGitRepository(async (repository) => {
      await repository.commit({ a: 'one' });
      repository.write('.git/index.lock', '');
      assert.equal(await refusalFrom(repository), 'index-locked');
    }));

  it('refuses when the index was locked while the worktree was scanned', () =>
    withGitRepository(async (repository) => {
      await repository.commit({ a: 'one' });
      const pending = startGitBaseline(repository.root, repository.environment);
      repository.write('.git/index.lock', '');
      assert.deepEqual(await pending.finish(() => null), { refused: 'index-locked' });
    }));

  it('refuses an index with unmerged entries', () =>
    withGitRepository(async (repository) => {
      await repository.commit({ a: 'one\n', b: 'same\n' });
      repository.git('checkout', '--quiet', '-b', 'other');
      await repository.commit({ a: 'two\n' });
      repository.git('checkout', '--quiet', 'main');
      await repository.commit({ a: 'three\n' });
      assert.throws(() => repository.git('merge', 'other'));
      assert.equal(await refusalFrom(repository), 'unmerged');
    }));

  it('refuses a split index', () =>
    withGitRepository(async (repository) => {
      await repository.commit({ a: 'one' });
      repository.git('update-index', '--split-index');
      assert.equal(await refusalFrom(repository), 'split-index');
    }));

  it('refuses a sparse index', () =>
    withGitRepository(async (repository) => {
      await repository.commit({ 'in/a': 'one', 'out/b': 'two', 'out/c': 'three' });
      repository.git('sparse-checkout', 'init', '--cone', '--sparse-index');
      repository.git('sparse-checkout', 'set', 'in');
      assert.equal(await refusalFrom(repository), 'sparse-index');
    }));

  it.each(['NEWX', 'newx'])('refuses an index with the unknown extension %s', (name) =>
    withGitRepository(async (repository) => {
      await repository.commit({ a: 'one' });
      rewriteIndex(repository, (body) => Buffer.concat([body, Buffer.from(name), Buffer.alloc(4)]));
      assert.equal(await refusalFrom(repository), 'index-extension');
    }),
  );

  it('refuses an index of a version that is not known', () =>
    withGitRepository(async (repository) => {
      await repository.commit({ a: 'one' });
      rewriteIndex(repository, (body) => {
        body.writeUInt32BE(5, 4);
        return body;
      });
      assert.equal(await refusalFrom(repository), 'index-version');
    }));

  it('refuses SHA-256 objects', () =>
    withGitRepository(async (repository) => {
      await repository.commit({ a: 'one' });
      assert.equal(await refusalFrom(repository), 'sha256');
    }, '--object-format=sha256'));

  it.each([
    ['extensions.refStorage', 'reftable', 'reftable'],
    ['extensions.partialClone', 'origin', 'partial-clone'],
    ['remote.origin.promisor', 'true', 'partial-clone'],
    ['remote.origin.partialclonefilter', 'blob:none', 'partial-clone'],
    ['extensions.notYetInvented', 'true', 'repository-extension'],
  ])('refuses a repository with %s = %s', (key, value, reason) =>
    withGitRepository(async (repository) => {
      await repository.commit({ a: 'one' });
      repository.git('config', 'core.repositoryFormatVersion', '1');
      repository.git('config', key, value);
      assert.equal(await refusalFrom(repository), reason);
    }),
  );

  it('refuses references that are kept as tables', () =>
    withGitRepository(async (repository) => {
      await repository.commit({ a: 'one' });
      mkdirSync(join(repository.root, '.git/reftable'));
      assert.equal(await refusalFrom(repository), 'reftable');
    }));

  it('refuses a real partial clone, and fetches nothing', () =>
    withGitRepository(async (origin, folder) => {
      await origin.commit({ a: 'one' });
      origin.git('config', 'uploadpack.allowFilter', 'true');
      const clone = new GitRepository(join(folder, 'clone'), origin.environment.HOME);
      origin.git('clone', '--quiet', '--filter=blob:none', `file://${origin.root}`, clone.root);
      assert.equal(await refusalFrom(clone), 'partial-clone');
      // The packs tell as well, should the configuration have been edited.
      clone.git('config', '--remove-section', 'remote.origin');
      assert.equal(await refusalFrom(clone), 'partial-clone');
    }));

  it('refuses objects that are borrowed from another repository', () =>
    withGitRepository(async (origin, folder) => {
      await origin.commit({ a: 'one' });
      const clone = new GitRepository(join(folder, 'clone'), origin.environment.HOME);
      origin.git('clone', '--quiet', '--shared', origin.root, clone.root);
      assert.equal(await refusalFrom(clone), 'alternates');
    }));

  it.skipIf(process.geteuid?.() !== 0).each(['.', '.git', '.git/index', '.git/objects'])(
    'refuses a repository whose %s belongs to somebody else',
    (part) =>
      withGitRepository(async (repository) => {
        await repository.commit({ a: 'one' });
        chownSync(join(repository.root, part), 12_345, 12_345);
        assert.equal(await refusalFrom(repository), 'foreign-owner');
      }),
  );

  it('refuses where git is not installed', () =>
    withGitRepository(async (repository, folder) => {
      await repository.commit({ a: 'one' });
      const { root } = repository;
      const environment = { PATH: join(folder, 'empty'), HOME: folder };
      const found = await startGitBaseline(root, environment).finish(() => null);
      assert.deepEqual(found, { refused: 'git-missing' });
    }));

  it('refuses where variables lead the user’s git to another configuration', () =>
    withGitRepository(async (repository) => {
      await repository.commit({ a: 'one' });
      const environment = { ...repository.environment, GIT_CONFIG_GLOBAL: '/dev/null' };
      const found = await startGitBaseline(repository.root, environment).finish(() => null);
      assert.deepEqual(found, { refused: 'git-environment' });
    }));

  it('refuses when the commit that HEAD names is gone', () =>
    withGitRepository(async (repository) => {
      await repository.commit({ a: 'one' });
      repository.write('.git/refs/heads/main', `${'1'.repeat(40)}\n`);
      assert.equal(await refusalFrom(repository), 'git-failed');
    }));

  it('can be cancelled, and leaves no program running', () =>
    withGitRepository(async (repository) => {
      await repository.commit({ a: 'one' });
      const pending = startGitBaseline(repository.root, repository.environment);
      await pending.cancel();
      assert.deepEqual(await pending.finish(() => null), { refused: 'cancelled' });
    }));

  it('takes an index that git was told to write without a checksum', () =>
    withGitRepository(async (repository) => {
      await repository.commit({ a: 'one' });
      const index = join(repository.root, '.git/index');
      const bytes = readFileSync(index);
      writeFileSync(index, Buffer.concat([bytes.subarray(0, -20), Buffer.alloc(20)]));
      assert.deepEqual(await takenFrom(repository), ['a']);
    }));
});

/** Changes an index as a git of the future might have written it: with a sound checksum. */
function rewriteIndex({ root }: GitRepository, change: (body: Buffer) => Buffer): void {
  const index = join(root, '.git/index');
  const body = change(readFileSync(index).subarray(0, -20));
  writeFileSync(index, Buffer.concat([body, createHash('sha1').update(body).digest()]));
}
