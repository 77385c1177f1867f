import assert from 'node:assert/strict';
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { keepObjects } from '../../src/capture/git/keep-objects.ts';
import { KeptObjects } from '../../src/capture/git/kept-objects.ts';
import { withTemporaryFolder } from '../../src/testing/temporary-folder.ts';
import { withGitRepository } from './git-repository.ts';
import { countFailures, packed } from './kept-store.ts';
import { baselineOf } from './taken.ts';

describe('reading kept objects', () => {
  it('names what was never kept', () =>
    withGitRepository(async (repository, folder) => {
      const store = join(folder, 'store');
      await keepObjects(repository.root, store, await packed(repository));
      const kept = new KeptObjects(store, repository.environment);
      await assert.rejects(kept.read(Buffer.alloc(20, 7)), { code: 'blob-missing' });
      await kept.close();
      await assert.rejects(kept.read(Buffer.alloc(20, 7)), { code: 'store-closed' });
    }));

  it('answers many at once, and goes on after a failure', () =>
    withGitRepository(async (repository, folder) => {
      const store = join(folder, 'store');
      const baseline = await packed(repository);
      await keepObjects(repository.root, store, baseline);
      const kept = new KeptObjects(store, repository.environment);
      const [first] = [...baseline.entries];
      assert.ok(first);
      const asked = [first.oid, Buffer.alloc(20), first.oid].map((oid) => kept.read(oid));
      const found = await Promise.allSettled(asked);
      assert.deepEqual(
        found.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      );
      await kept.close();
    }));

  it('says so when git cannot be started', () =>
    withTemporaryFolder(async (folder) => {
      const kept = new KeptObjects(folder, { PATH: join(folder, 'empty'), HOME: folder });
      await assert.rejects(kept.read(Buffer.alloc(20)), { code: 'store-failed' });
      await kept.close();
    }));

  it('never returns the bytes of another object that stands under its name', () =>
    withGitRepository(async (repository, folder) => {
      const store = join(folder, 'store');
      await repository.commit({ one: 'one', two: 'two' });
      const baseline = await baselineOf(repository);
      await keepObjects(repository.root, store, baseline);
      const [one = '', two = ''] = [...baseline.entries].map(({ oid }) =>
        join(store, 'objects', oid.toString('hex').replace(/^../, '$&/')),
      );
      rmSync(one);
      copyFileSync(two, one);
      assert.equal(await countFailures(repository, store, baseline), 1);
    }));

  it('never returns other bytes from a damaged pack, and says which object it is', () =>
    withGitRepository(async (repository, folder) => {
      const store = join(folder, 'store');
      const baseline = await packed(repository);
      await keepObjects(repository.root, store, baseline);
      const packs = join(store, 'objects/pack');
      const [name = ''] = readdirSync(packs).filter((entry) => entry.endsWith('.pack'));
      const sound = readFileSync(join(packs, name));
      // Ours alone from here on: a link would damage the user's pack as well.
      rmSync(join(packs, name));
      let failures = 0;
      for (let at = 12; at < sound.length - 20; at += 3) {
        const damaged = Buffer.from(sound);
        damaged[at] = (damaged[at] ?? 0) ^ 0x10;
        writeFileSync(join(packs, name), damaged);
        failures += await countFailures(repository, store, baseline);
      }
      assert.ok(failures > 10, `${failures}`);
    }));
});
