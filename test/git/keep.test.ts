import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, it } from 'vitest';
import { keepFile } from '../../src/capture/git/keep-file.ts';
import { keepObjects } from '../../src/capture/git/keep-objects.ts';
import { withGitRepository } from './git-repository.ts';
import { assertReadable, FILES, packed } from './kept-store.ts';
import { baselineOf } from './taken.ts';

const ELSEWHERE = '/dev/shm';
const onTwoDevices = existsSync(ELSEWHERE) && statSync(ELSEWHERE).dev !== statSync('/tmp').dev;

describe('keeping the objects of a baseline', () => {
  it('reads every file from its own store after a gc and after .git is gone', () =>
    withGitRepository(async (repository, folder) => {
      const baseline = await packed(repository);
      const store = join(folder, 'store/git');
      assert.deepEqual(await keepObjects(repository.root, store, baseline), {
        linked: 1,
        copied: 0,
      });
      repository.git('checkout', '--quiet', '--orphan', 'empty');
      repository.git('commit', '--quiet', '--allow-empty', '--message', 'dummy');
      repository.git('branch', '--quiet', '-D', 'main');
      repository.git('reflog', 'expire', '--expire=now', '--all');
      repository.git('rm', '-r', '--cached', '--quiet', '.');
      repository.git('gc', '--quiet', '--prune=now');
      await assertReadable(repository, store, baseline);
      rmSync(join(repository.root, '.git'), { recursive: true });
      await assertReadable(repository, store, baseline);
    }));

  it('keeps objects that no pack holds', () =>
    withGitRepository(async (repository, folder) => {
      const baseline = await packed(repository);
      await repository.commit({ loose: 'loose\n' });
      const more = await baselineOf(repository);
      assert.equal(more.count, baseline.count + 1);
      const kept = await keepObjects(repository.root, join(folder, 'store'), more);
      assert.deepEqual(kept, { linked: 2, copied: 0 });
      rmSync(join(repository.root, '.git'), { recursive: true });
      await assertReadable(repository, join(folder, 'store'), more);
    }));

  it('adds to what was kept before, and does nothing twice', () =>
    withGitRepository(async (repository, folder) => {
      const store = join(folder, 'store');
      const first = await packed(repository);
      await keepObjects(repository.root, store, first);
      assert.deepEqual(await keepObjects(repository.root, store, first), { linked: 0, copied: 0 });
      await repository.commit({ three: 'changed\n', four: 'four\n' });
      const second = await baselineOf(repository);
      assert.deepEqual(await keepObjects(repository.root, store, second), { linked: 2, copied: 0 });
      repository.write('three', FILES.three);
      await assertReadable(repository, store, first);
    }));

  it('finishes what an earlier attempt left half done', () =>
    withGitRepository(async (repository, folder) => {
      const store = join(folder, 'store');
      const baseline = await packed(repository);
      await keepObjects(repository.root, store, baseline);
      const packs = join(store, 'objects/pack');
      const [pack = ''] = readdirSync(packs).filter((name) => name.endsWith('.pack'));
      rmSync(join(packs, pack));
      writeFileSync(join(packs, pack), 'torn');
      writeFileSync(join(packs, `${pack}.tmp`), 'torn');
      await keepObjects(repository.root, store, baseline);
      await assertReadable(repository, store, baseline);
      assert.equal(existsSync(join(packs, `${pack}.tmp`)), false);
    }));

  it('leaves the user’s .git as it is: names, bytes, modes and times', () =>
    withGitRepository(async (repository, folder) => {
      await packed(repository);
      const before = treeOf(join(repository.root, '.git'));
      const baseline = await baselineOf(repository);
      await keepObjects(repository.root, join(folder, 'store'), baseline);
      await assertReadable(repository, join(folder, 'store'), baseline);
      rmSync(join(folder, 'store'), { recursive: true });
      assert.deepEqual(treeOf(join(repository.root, '.git')), before);
    }));

  it('makes a store that only its user can read', () =>
    withGitRepository(async (repository, folder) => {
      await keepObjects(repository.root, join(folder, 'store'), await packed(repository));
      for (const name of ['.', 'objects', 'objects/pack', 'refs']) {
        assert.equal(statSync(join(folder, 'store', name)).mode & 0o777, 0o700, name);
      }
    }));

  it.skipIf(!onTwoDevices)('copies where it cannot link', () =>
    withGitRepository(async (repository) => {
      const store = mkdtempSync(join(ELSEWHERE, 'savepoint-'));
      try {
        const baseline = await packed(repository);
        const kept = await keepObjects(repository.root, store, baseline);
        assert.deepEqual(kept, { linked: 0, copied: 1 });
        await assertReadable(repository, store, baseline);
      } finally {
        rmSync(store, { recursive: true });
      }
    }),
  );

  it.skipIf(!onTwoDevices)('refuses to copy more than it was allowed', () =>
    withGitRepository(async (repository, folder) => {
      const store = mkdtempSync(join(ELSEWHERE, 'savepoint-'));
      try {
        repository.write('../large', 'x'.repeat(100));
        const kept = keepFile(join(folder, 'large'), join(store, 'large'), { bytes: 99 });
        await assert.rejects(kept, { reason: 'too-large-to-copy' });
        assert.deepEqual(readdirSync(store), []);
      } finally {
        rmSync(store, { recursive: true });
      }
    }),
  );

  it('keeps everything while git packs anew', () =>
    withGitRepository(async (repository, folder) => {
      const baseline = await packed(repository);
      for (let round = 0; round < 5; round += 1) {
        const repack = ['repack', '-q', '-a', '-d', '-f', `--depth=${round}`, `--window=${round}`];
        const { root: cwd, environment: env } = repository;
        const repacked = promisify(execFile)('git', repack, { cwd, env });
        const store = join(folder, `store-${round}`);
        const kept = await keepObjects(repository.root, store, baseline);
        await repacked;
        assert.ok('linked' in kept);
        await assertReadable(repository, store, baseline);
      }
    }));

  it('refuses when the objects went away in between', () =>
    withGitRepository(async (repository, folder) => {
      const baseline = await packed(repository);
      rmSync(join(repository.root, '.git/objects/pack'), { recursive: true });
      const kept = await keepObjects(repository.root, join(folder, 'store'), baseline);
      assert.deepEqual(kept, { refused: 'objects-gone' });
    }));

  it('takes nothing from more than 2,000 loose objects until they are packed', () =>
    withGitRepository(async (repository) => {
      const names = Array.from({ length: 2_001 }, (_, i) => `f${i}`);
      await repository.commit(Object.fromEntries(names.map((name) => [name, `${name}\n`])));
      assert.equal((await baselineOf(repository)).count, 0);
      repository.git('repack', '--quiet', '-a', '-d');
      assert.equal((await baselineOf(repository)).count, 2_001);
    }));
});

function treeOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const stats = lstatSync(join(folder, name), { bigint: true });
      const bytes = stats.isFile() ? readFileSync(join(folder, name), 'latin1') : '';
      return [name, stats.mode, stats.mtimeNs, stats.ino, bytes].join(' ');
    });
}
