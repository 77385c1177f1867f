import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { bareStat, type EntryStat } from '../../src/capture/scan/entry-stat.ts';
import { withGitRepository } from './git-repository.ts';
import { baselineOf, takenFrom } from './taken.ts';

const PAST = 1_000_000_000;

describe('what is taken from git', () => {
  it('takes every committed file that nobody touched, in ascending order of bytes', () =>
    withGitRepository(async (repository) => {
      const files = { 'b.txt': 'b\n', 'a/z': 'az\n', 'a.txt': 'a\n', 'a-b/é': 'é\n' };
      await repository.commit(files);
      assert.deepEqual(await takenFrom(repository), ['a-b/é', 'a.txt', 'a/z', 'b.txt']);
      const baseline = await baselineOf(repository);
      assert.equal(baseline.count, 4);
      assert.equal(baseline.head, repository.git('rev-parse', 'HEAD').trim());
    }));

  it('takes files whose names are not UTF-8, or need quoting', () =>
    withGitRepository(async (repository) => {
      const bytes = Buffer.from([0x66, 0xff, 0x0a, 0x22]);
      writeFileSync(Buffer.concat([Buffer.from(`${repository.root}/`), bytes]), 'odd name\n');
      await repository.commit();
      assert.deepEqual(await takenFrom(repository), ['f\udcff\n"']);
    }));

  it('leaves modified, replaced and deleted files to be read', () =>
    withGitRepository(async (repository) => {
      await repository.commit({ modified: 'one', replaced: 'one', deleted: 'one', same: 'one' });
      repository.write('modified', 'two');
      unlinkSync(join(repository.root, 'replaced'));
      symlinkSync('one', join(repository.root, 'replaced'));
      unlinkSync(join(repository.root, 'deleted'));
      assert.deepEqual(await takenFrom(repository), ['same']);
    }));

  it('notices an edit of the same size whose mtime was set back', () =>
    withGitRepository(async (repository) => {
      repository.write('edited', 'one');
      utimesSync(join(repository.root, 'edited'), PAST, PAST);
      await repository.commit({ same: 'one' });
      await repository.tick();
      repository.write('edited', 'two');
      utimesSync(join(repository.root, 'edited'), PAST, PAST);
      assert.deepEqual(await takenFrom(repository), ['same']);
    }));

  it.each<[Exclude<keyof EntryStat, 'uid'>, number]>([
    ['mtimeMs', -1000],
    ['mtimeMs', -0.001],
    ['ctimeMs', -1000],
    ['ctimeMs', -0.001],
    ['ino', 1],
    ['size', 1],
    ['mode', 0o100],
  ])('takes no file whose %s differs from what git saw', (field, difference) =>
    withGitRepository(async (repository) => {
      await repository.commit({ other: 'one', same: 'one' });
      const changed = (path: string, stat: EntryStat): EntryStat =>
        path === 'other' ? { ...bareStat(stat), [field]: stat[field] + difference } : stat;
      assert.deepEqual(await takenFrom(repository, changed), ['same']);
    }),
  );

  it('compares the 32 bits of an inode that the index keeps', () =>
    withGitRepository(async (repository) => {
      await repository.commit({ same: 'one' });
      const wider = (_: string, stat: EntryStat): EntryStat => ({
        ...bareStat(stat),
        ino: stat.ino + 2 ** 40,
      });
      assert.deepEqual(await takenFrom(repository, wider), ['same']);
    }));

  it('takes no file that is not older than the index', () =>
    withGitRepository(async (repository) => {
      await repository.commit({ racy: 'one' });
      assert.deepEqual(await takenFrom(repository), ['racy']);
      // As if git had written the index within the very step of the clock that wrote the file.
      const file = join(repository.root, 'racy');
      const index = join(repository.root, '.git/index');
      execFileSync('touch', ['-r', file, index], { env: repository.environment });
      const same = [file, index].map((path) => lstatSync(path, { bigint: true }).mtimeNs);
      assert.equal(same[0], same[1]);
      assert.deepEqual(await takenFrom(repository), []);
    }));

  it('takes no file that only looks older than the index because its mtime was set', () =>
    withGitRepository(async (repository) => {
      repository.write('backdated', 'one');
      utimesSync(join(repository.root, 'backdated'), PAST, PAST);
      await repository.commit();
      assert.deepEqual(await takenFrom(repository), ['backdated']);
      utimesSync(join(repository.root, '.git/index'), PAST + 10, PAST + 10);
      assert.deepEqual(await takenFrom(repository), []);
    }));

  it('takes nothing that is staged and not committed', () =>
    withGitRepository(async (repository) => {
      await repository.commit({ changed: 'one', same: 'one', gone: 'one' });
      repository.write('changed', 'two');
      repository.write('new', 'two');
      await repository.tick();
      repository.git('add', '--all');
      repository.git('rm', '--cached', '--quiet', 'gone');
      await repository.tick();
      repository.rewriteIndex();
      assert.deepEqual(await takenFrom(repository), ['same']);
    }));

  it.each(['--assume-unchanged', '--skip-worktree'])('takes no entry marked %s', (flag) =>
    withGitRepository(async (repository) => {
      await repository.commit({ marked: 'one', same: 'one' });
      repository.git('update-index', flag, 'marked');
      assert.deepEqual(await takenFrom(repository), ['same']);
    }),
  );

  it('takes no entry that is only intended to be added', () =>
    withGitRepository(async (repository) => {
      await repository.commit({ intended: 'one', same: 'one' });
      repository.git('rm', '--cached', '--quiet', 'intended');
      repository.git('add', '--intent-to-add', 'intended');
      assert.deepEqual(await takenFrom(repository), ['same']);
    }));

  it('takes executable files, unless their bit differs from the committed one', () =>
    withGitRepository(async (repository) => {
      repository.write('run', '#!/bin/sh\n');
      chmodSync(join(repository.root, 'run'), 0o755);
      await repository.commit({ plain: 'one' });
      assert.deepEqual(await takenFrom(repository), ['plain', 'run']);
      // With fileMode off git refreshes the entry and passes over the bit.
      repository.git('config', 'core.fileMode', 'false');
      chmodSync(join(repository.root, 'plain'), 0o755);
      await repository.tick();
      repository.git('update-index', '--refresh');
      repository.rewriteIndex();
      assert.deepEqual(await takenFrom(repository), ['run']);
    }));

  it('takes no links, submodules or empty files', () =>
    withGitRepository(async (repository) => {
      symlinkSync('same', join(repository.root, 'link'));
      await repository.commit({ empty: '', same: 'one' });
      const head = repository.git('rev-parse', 'HEAD').trim();
      repository.git('update-index', '--add', '--cacheinfo', `160000,${head},module`);
      repository.git('commit', '--quiet', '--message', 'dummy');
      mkdirSync(join(repository.root, 'module'));
      assert.deepEqual(await takenFrom(repository), ['same']);
    }));

  it('reads an index of version 3, which git writes where an entry has further flags', () =>
    withGitRepository(async (repository) => {
      await repository.commit({ a: '1', b: '2', c: '3' });
      repository.git('update-index', '--skip-worktree', 'b');
      assert.equal(readFileSync(join(repository.root, '.git/index')).readUInt32BE(4), 3);
      assert.deepEqual(await takenFrom(repository), ['a', 'c']);
    }));

  it.each([2, 4])('reads an index of version %d', (version) =>
    withGitRepository(async (repository) => {
      const long = `${'deep/'.repeat(60)}${'n'.repeat(200)}`;
      await repository.commit({ 'a/one': '1', 'a/only': '2', b: '3', [long]: '4' });
      repository.git('update-index', '--index-version', String(version));
      const bytes = readFileSync(join(repository.root, '.git/index'));
      assert.equal(bytes.readUInt32BE(4), version);
      assert.deepEqual(await takenFrom(repository), ['a/one', 'a/only', 'b', long]);
    }),
  );
});
