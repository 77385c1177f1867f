import assert from 'node:assert/strict';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'vitest';
import { GitRepository } from '../../../test/setup/git-repository.ts';
import { withTemporaryFolder } from '../../../test/setup/temporary-folder.ts';
import {
  assertReadable,
  baselineOf,
  changeOf,
  fileOf,
  groupsOf,
  noiseBlob,
  rejectsWith,
  textBlob,
} from '../../testing/store/samples.ts';
import { currentSeq, readGitObject } from '../find.ts';
import type { Blob, BlobReference, Store } from '../store.ts';
import { sqliteStore } from './sqlite-store.ts';

const FOREVER = Number.POSITIVE_INFINITY;
const MANIFEST = textBlob('manifest');

interface Row {
  readonly encoding: string;
  readonly depth: number;
  readonly stored: number;
}

describe('a reference to an object of git', () => {
  it('gives its bytes to whoever asks for the blob or the object', () =>
    withStore(async (store, _folder, repository) => {
      const blobs = [textBlob(''), version(1), version(2), noiseBlob(300 * 1024)];
      const keys = repository.addBlobs(blobs.map(({ bytes }) => bytes));
      repository.pack(keys);
      const references = blobs.map((blob, at) => inGit(blob, keys[at]));
      await store.timeline.commit({ base: 0, references });
      for (const [at, blob] of blobs.entries()) {
        await assertReadable(store, blob);
        const key = keys[at] ?? Buffer.alloc(0);
        assert.deepEqual(await readGitObject(store, key), Uint8Array.from(blob.bytes));
      }
    }));

  it('is counted by the bytes that are kept of git', () =>
    withStore(async (store, _folder, repository) => {
      const { gitBytes: empty } = await store.maintain('stats');
      repository.packBlob(noiseBlob(5_000).bytes);
      const { gitBytes: packed, storedBytes, packedBytes } = await store.maintain('stats');
      assert.ok(packed - empty >= 5_000, `${packed - empty} bytes`);
      assert.deepEqual([storedBytes, packedBytes], [0, 0]);
    }));

  it('never gives an object whose bytes are not the blob', () =>
    withStore(async (store, _folder, repository) => {
      const key = repository.packBlob(Buffer.from('something else'));
      const blob = textBlob('what it should be');
      await store.timeline.commit({ base: 0, references: [inGit(blob, key)] });
      await rejectsWith(store.blobs.read(blob.id), 'blob-corrupt');
    }));

  it('is mended by the bytes when the objects are lost; small bytes are always kept', () =>
    withStore(async (store, folder, repository) => {
      for (const [blob, unlost] of [
        [version(1), 'raw'],
        [noiseBlob(300 * 1024), 'git'],
      ] as const) {
        const reference = inGit(blob, repository.packBlob(blob.bytes));
        await store.timeline.commit({ base: 0, references: [reference], blobs: [blob] });
        execute(folder, 'DELETE FROM blobs');
        await store.timeline.commit({ base: 0, references: [reference] });
        await store.timeline.commit({ base: 0, blobs: [blob] });
        assert.equal(rowsOf(folder)[0]?.encoding, unlost);
        rmSync(join(repository.path, 'objects'), { recursive: true });
        if (unlost === 'git') await rejectsWith(store.blobs.read(blob.id), 'blob-missing');
        await store.timeline.commit({ base: 0, blobs: [blob] });
        await assertReadable(store, blob);
        assert.notEqual(rowsOf(folder)[0]?.encoding, 'git');
        execute(folder, 'DELETE FROM blobs');
        repository.run(['init', '--quiet', '--bare', '.']);
      }
    }));
});

describe('compaction', () => {
  for (const source of ['pack', 'git'] as const) {
    it(`stores a new version as what differs from the one in ${source}, which stays as it is`, () =>
      withStore(async (store, folder, repository) => {
        const versions = await writeVersions(store, repository, source, 12);
        await store.maintain('compact', FOREVER);
        const [first, ...later] = rowsOf(folder);
        assert.deepEqual(first, { encoding: source, depth: 0, stored: 0 });
        assert.deepEqual(
          later.map(({ depth }) => depth),
          later.map((_, at) => at + 1),
        );
        for (const { encoding, stored } of later) {
          assert.equal(encoding, 'zstd');
          assert.ok(stored < 300, `${stored} bytes`);
        }
        for (const blob of versions) await assertReadable(store, blob);
      }));
  }
});

describe('pruning', () => {
  it('lets a version lean on a reference that nothing else needs', () =>
    withStore(async (store, folder, repository) => {
      const versions = await writeVersions(store, repository, 'git', 6);
      await store.maintain('compact', FOREVER);
      await store.maintain('prune', 99);
      const rows = rowsOf(folder);
      assert.deepEqual(
        rows.map(({ encoding, depth }) => ({ encoding, depth })),
        [
          { encoding: 'git', depth: 0 },
          { encoding: 'zstd', depth: 1 },
        ],
      );
      assert.ok((rows[1]?.stored ?? 0) < 1_000);
      for (const blob of versions.slice(-1)) await assertReadable(store, blob);
    }));

  it('drops references that nothing needs', () =>
    withStore(async (store, folder, repository) => {
      const blob = version(1);
      await store.timeline.commit({
        base: 0,
        references: [inGit(blob, repository.packBlob(blob.bytes))],
      });
      assert.equal((await store.maintain('prune', 0)).blobs, 1);
      assert.deepEqual(rowsOf(folder), []);
    }));

  it('stores anew what leans on a pack that goes, and what the pack alone had', () =>
    withStore(async (store, folder, repository) => {
      const versions = await writeVersions(store, repository, 'pack', 6);
      await store.maintain('compact', FOREVER);
      const seq = await currentSeq(store);
      await store.timeline.commit({ base: seq, baseline: null });
      await store.maintain('prune', 0);
      assert.equal((await store.maintain('stats')).packedBytes, 0);
      assert.ok(rowsOf(folder).every(({ encoding }) => encoding !== 'pack'));
      for (const blob of versions) await assertReadable(store, blob);
    }));

  it('takes nothing over from packs that stay, whatever a crash left beside them', () =>
    withStore(async (store, folder, repository) => {
      const versions = await writeVersions(store, repository, 'pack', 2);
      await store.blobs.putMany(groupsOf(versions));
      await store.maintain('prune', 0);
      assert.equal(rowsOf(folder)[0]?.encoding, 'pack');
      for (const blob of versions) await assertReadable(store, blob);
    }));

  it('goes on when a reference leads nowhere', () =>
    withStore(async (store, folder, repository) => {
      const [first, second] = await writeVersions(store, repository, 'pack', 2);
      assert.ok(first && second);
      renameSync(join(folder, 'packs'), join(folder, 'away'));
      await store.blobs.putMany(groupsOf([textBlob('orphan')]));
      await store.maintain('compact', FOREVER);
      await store.maintain('prune', 0);
      await assertReadable(store, second);
      await rejectsWith(store.blobs.read(first.id), 'blob-missing');
      renameSync(join(folder, 'away'), join(folder, 'packs'));
      await assertReadable(store, first);
    }));
});

/** One path that goes through these contents, of which the first is a reference. */
async function writeVersions(
  store: Store,
  repository: GitRepository,
  source: BlobReference['source'],
  count: number,
): Promise<Blob[]> {
  const versions = Array.from({ length: count }, (_, at) => version(at));
  const [first, ...later] = versions;
  assert.ok(first);
  const { packs } = await store.blobs.putMany(groupsOf(source === 'pack' ? [first] : []));
  const key = source === 'git' ? repository.packBlob(first.bytes) : null;
  const changes = later.map((blob, at) =>
    changeOf(at + 2, 'a', { before: fileOf(versions[at] ?? blob), after: fileOf(blob) }),
  );
  await store.timeline.commit({
    base: 0,
    baseline: baselineOf(1, MANIFEST, packs),
    references: [{ id: first.id, size: first.bytes.length, source, key }],
    blobs: later,
    changes,
  });
  return versions;
}

function inGit({ id, bytes }: Blob, key: Buffer | undefined): BlobReference {
  return { id, size: bytes.length, source: 'git', key: key ?? null };
}

/** Text that hardly compresses by itself, and differs a little from one version to the next. */
function version(at: number): Blob {
  const text = Buffer.from(noiseBlob(6_000).bytes).toString('base64');
  return textBlob(`${text.slice(0, at * 50)} edit ${at} ${text.slice(at * 50)}`);
}

function rowsOf(folder: string): Row[] {
  const database = new DatabaseSync(join(folder, 'store.db'));
  try {
    const sql =
      'SELECT encoding, depth, stored FROM blobs WHERE encoding <> ? ORDER BY depth, stored';
    const rows = database.prepare(sql).all('missing') as unknown as Row[];
    return rows.map((row) => ({ ...row }));
  } finally {
    database.close();
  }
}

function execute(folder: string, sql: string): void {
  const database = new DatabaseSync(join(folder, 'store.db'));
  database.exec(sql);
  database.close();
}

/** The repository is the one in which the store looks for objects of git. */
function withStore(
  body: (store: Store, folder: string, repository: GitRepository) => Promise<void>,
): Promise<void> {
  return withTemporaryFolder(async (folder) => {
    const store = await sqliteStore({ directory: folder });
    try {
      const repository = new GitRepository(folder, store.git?.folder ?? folder);
      await body(store, folder, repository);
    } finally {
      await store.close();
    }
  });
}
