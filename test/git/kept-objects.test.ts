import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { keepObjects } from '../../src/capture/git/keep-objects.ts';
import { GitObjects } from '../../src/store/sqlite/git-objects.ts';
import { withGitRepository } from './git-repository.ts';
import { countFailures, packed } from './kept-store.ts';

const ROOM = 1024 * 1024;

describe('reading kept objects', () => {
  it('names what was never kept', () =>
    withGitRepository(async (repository, folder) => {
      const store = join(folder, 'store');
      await keepObjects(repository.root, store, await packed(repository), ROOM);
      const kept = new GitObjects(store);
      assert.throws(() => kept.read(Buffer.alloc(20, 7)), { code: 'blob-missing' });
    }));

  it('never returns other bytes from a damaged pack, and says which object it is', () =>
    withGitRepository(async (repository, folder) => {
      const store = join(folder, 'store');
      const baseline = await packed(repository);
      await keepObjects(repository.root, store, baseline, ROOM);
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
