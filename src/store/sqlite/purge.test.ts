import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'vitest';
import { GitRepository } from '../../../test/setup/git-repository.ts';
import { withTemporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { ManifestWriter } from '../../model/manifest.ts';
import {
  assertReadable,
  baselineOf,
  changeOf,
  fileOf,
  pathOf,
  textBlob,
} from '../../testing/store/samples.ts';
import { blobOf } from '../blob.ts';
import { currentSeq, readGitObject } from '../find.ts';
import type { Blob, Store } from '../store.ts';
import { layoutOf } from './layout.ts';
import { writeMeta } from './meta.ts';
import { openDatabase } from './open-database.ts';
import { sqliteStore } from './sqlite-store.ts';

const HELD = textBlob('only in git '.repeat(100));
const NOW = textBlob('now');
const SECRET = pathOf('secret');

describe('the scrub after a purge', () => {
  it('keeps what others have from git where there is no baseline, and nothing else of it', () =>
    withStore(async (store, folder) => {
      const { key, git } = addToGit(store, folder);
      await store.timeline.commit({
        base: 0,
        blobs: [NOW],
        references: [{ id: HELD.id, size: HELD.bytes.length, source: 'git', key }],
        changes: [
          changeOf(1, 'a', { before: fileOf(HELD), after: fileOf(NOW) }),
          changeOf(2, 'secret', { after: fileOf(NOW) }),
        ],
      });
      await store.maintain('purge', [SECRET]);
      await assertReadable(store, HELD);
      assert.equal(existsSync(git), false);
    }));

  it('leaves what a first scan took from git before the purge was finished', () =>
    withStore(async (store, folder) => {
      markAsInterrupted(folder);
      const { key } = addToGit(store, folder);
      const manifest = manifestOf(key);
      const base = await currentSeq(store);
      await store.timeline.commit({
        base,
        blobs: [manifest],
        baseline: baselineOf(base + 1, manifest),
      });
      await store.maintain('scrub');
      assert.equal((await store.state()).needsScrub, false);
      assert.deepEqual(Buffer.from(await readGitObject(store, key)), Buffer.from(HELD.bytes));
    }));
});

/** As a purge does whose process dies before it has removed anything. */
function markAsInterrupted(folder: string): void {
  const connection = openDatabase(layoutOf(folder), false);
  writeMeta(connection, 'scrub', 1);
  connection.close();
}

function addToGit(store: Store, folder: string): { key: Uint8Array; git: string } {
  const git = store.git?.folder;
  assert.ok(git !== undefined);
  return { key: new GitRepository(folder, git).packBlob(HELD.bytes), git };
}

function manifestOf(key: Uint8Array): Blob {
  const writer = new ManifestWriter(1);
  writer.set(0, { kind: 'git', mode: 0o644, size: HELD.bytes.length, key });
  return blobOf(writer.finish(() => pathOf('a')));
}

function withStore(body: (store: Store, folder: string) => Promise<void>): Promise<void> {
  return withTemporaryFolder(async (folder) => {
    const store = await sqliteStore({ directory: folder });
    try {
      await body(store, folder);
    } finally {
      await store.close();
    }
  });
}
