import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, it } from 'vitest';
import type { GitBaseline } from '../../src/capture/git/baseline.ts';
import {
  keepFile,
  keepObjects,
  sharedBytes,
  unshareObjects,
} from '../../src/capture/git/keep-objects.ts';
import { DISK } from '../e2e/scratch.ts';
import { type GitRepository, withGitRepository } from './git-repository.ts';
import { assertReadable, FILES, packed } from './kept-store.ts';
import { baselineOf, takenFrom } from './taken.ts';

const onTwoDevices = existsSync(DISK) && statSync(DISK).dev !== statSync(tmpdir()).dev;

describe('keeping the objects of a baseline', () => {
  it('reads every file from its own store after a gc and after .git is gone', () =>
    withGitRepository(async (repository, folder) => {
      const baseline = await packed(repository);
      const store = join(folder, 'store/git');
      assert.equal(await keepObjects(repository.root, store, baseline, ROOM), null);
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

  it('keeps packs that whoever runs can overwrite as files of its own', () =>
    withGitRepository(async (repository, folder) => {
      const baseline = await packed(repository);
      const store = join(folder, 'store');
      // Root writes to every file, whatever its mode.
      for (const file of packsOf(repository.root)) chmodSync(file, 0o644);
      assert.equal(await keepObjects(repository.root, store, baseline, ROOM), null);
      assert.deepEqual(packsIn(store).map(linksOf), [1, 1]);
      for (const file of packsOf(repository.root)) writeFileSync(file, 'overwritten');
      await assertReadable(repository, store, baseline);
    }));

  it('leaves objects that no pack holds to those who copy the files', () =>
    withGitRepository(async (repository) => {
      await packed(repository);
      repository.write('loose', 'loose\n');
      await repository.tick();
      repository.git('add', '--all');
      repository.git('commit', '--quiet', '--message', 'dummy');
      assert.deepEqual(await takenFrom(repository), Object.keys(FILES));
    }));

  it('adds to what was kept before, and does nothing twice', () =>
    withGitRepository(async (repository, folder) => {
      const store = join(folder, 'store');
      const first = await packed(repository);
      await keepObjects(repository.root, store, first, ROOM);
      const kept = treeOf(store);
      assert.equal(await keepObjects(repository.root, store, first, ROOM), null);
      assert.deepEqual(treeOf(store), kept);
      await repository.commit({ three: 'changed\n', four: 'four\n' });
      const second = await baselineOf(repository);
      assert.equal(await keepObjects(repository.root, store, second, ROOM), null);
      await assertReadable(repository, store, second);
      repository.write('three', FILES.three);
      await assertReadable(repository, store, first);
    }));

  it('finishes what an earlier attempt left half done', () =>
    withGitRepository(async (repository, folder) => {
      const store = join(folder, 'store');
      const baseline = await packed(repository);
      await keepObjects(repository.root, store, baseline, ROOM);
      const packs = join(store, 'objects/pack');
      const [pack = ''] = readdirSync(packs).filter((name) => name.endsWith('.pack'));
      rmSync(join(packs, pack));
      writeFileSync(join(packs, pack), 'torn');
      writeFileSync(join(packs, `${pack}.tmp`), 'torn');
      await keepObjects(repository.root, store, baseline, ROOM);
      await assertReadable(repository, store, baseline);
      assert.equal(existsSync(join(packs, `${pack}.tmp`)), false);
    }));

  it('leaves the user’s .git as it is: names, bytes, modes and times', () =>
    withGitRepository(async (repository, folder) => {
      await packed(repository);
      const before = treeOf(join(repository.root, '.git'));
      const baseline = await baselineOf(repository);
      await keepObjects(repository.root, join(folder, 'store'), baseline, ROOM);
      await assertReadable(repository, join(folder, 'store'), baseline);
      rmSync(join(folder, 'store'), { recursive: true });
      assert.deepEqual(treeOf(join(repository.root, '.git')), before);
    }));

  it('makes a store that only its user can read', () =>
    withGitRepository(async (repository, folder) => {
      await keepObjects(repository.root, join(folder, 'store'), await packed(repository), ROOM);
      for (const name of ['.', 'objects', 'objects/pack', 'refs']) {
        assert.equal(statSync(join(folder, 'store', name)).mode & 0o777, 0o700, name);
      }
    }));

  it.skipIf(!onTwoDevices)('copies where it cannot link', () =>
    withGitRepository(async (repository) => {
      const store = mkdtempSync(join(DISK, 'savepoint-'));
      try {
        const baseline = await packed(repository);
        const kept = await keepObjects(repository.root, store, baseline, ROOM);
        assert.equal(kept, null);
        await assertReadable(repository, store, baseline);
      } finally {
        rmSync(store, { recursive: true });
      }
    }),
  );

  it.skipIf(!onTwoDevices)('refuses to copy more than it was allowed', () =>
    withGitRepository(async (repository, folder) => {
      const store = mkdtempSync(join(DISK, 'savepoint-'));
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
        const kept = await keepObjects(repository.root, store, baseline, ROOM);
        await repacked;
        assert.equal(kept, null);
        await assertReadable(repository, store, baseline);
      }
    }));

  it('refuses when the objects went away in between', () =>
    withGitRepository(async (repository, folder) => {
      const baseline = await packed(repository);
      rmSync(join(repository.root, '.git/objects/pack'), { recursive: true });
      const kept = await keepObjects(repository.root, join(folder, 'store'), baseline, ROOM);
      assert.deepEqual(kept, { refused: 'objects-gone' });
    }));

  it('refuses packs that it may not copy, and leaves nothing of them, where the files have room', () =>
    withGitRepository(async (repository, folder) => {
      const { baseline, store } = await writable(repository, folder);
      const kept = await keepObjects(repository.root, store, baseline, bytesOf(baseline));
      assert.deepEqual(kept, { refused: 'too-large-to-copy' });
      assert.deepEqual(packsIn(store), []);
    }));

  it('shares packs where neither they nor the files have room, until the limit is raised', () =>
    withGitRepository(async (repository, folder) => {
      const { baseline, store } = await writable(repository, folder);
      const kept = await keepObjects(repository.root, store, baseline, bytesOf(baseline) - 1);
      assert.equal(kept, null);
      await assertReadable(repository, store, baseline);
      // There was room for the index alone.
      const [pack = ''] = packsIn(store).filter((file) => file.endsWith('.pack'));
      assert.equal(sharedBytes(store), statSync(pack).size);
      await unshareObjects(store, { bytes: ROOM });
      assert.equal(sharedBytes(store), 0);
      for (const file of packsOf(repository.root)) writeFileSync(file, 'overwritten');
      await assertReadable(repository, store, baseline);
    }));
});

const ROOM = 1024 * 1024 * 1024;

/** A repository whose packs hold more bytes than its files, and can be overwritten by whoever runs. */
async function writable(
  repository: GitRepository,
  folder: string,
): Promise<{ baseline: GitBaseline; store: string }> {
  await repository.commit({ gone: randomBytes(10_000).toString('base64') });
  rmSync(join(repository.root, 'gone'));
  const baseline = await packed(repository);
  for (const file of packsOf(repository.root)) chmodSync(file, 0o644);
  return { baseline, store: join(folder, 'store') };
}

function bytesOf(baseline: GitBaseline): number {
  return [...baseline.entries].reduce((sum, { size }) => sum + size, 0);
}

function packsOf(root: string): string[] {
  return packsIn(join(root, '.git'));
}

function packsIn(repository: string): string[] {
  const folder = join(repository, 'objects/pack');
  return readdirSync(folder)
    .filter((name) => /\.(pack|idx)$/.test(name))
    .map((name) => join(folder, name));
}

function linksOf(file: string): number {
  return statSync(file).nlink;
}

function treeOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const stats = lstatSync(join(folder, name), { bigint: true });
      const bytes = stats.isFile() ? readFileSync(join(folder, name), 'latin1') : '';
      return [name, stats.mode, stats.mtimeNs, stats.ino, bytes].join(' ');
    });
}
