import assert from 'node:assert/strict';
import {
  mkdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'vitest';
import { withTemporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { isSavepointError } from '../../model/errors.ts';
import { sameState } from '../../model/state.ts';
import {
  assertReadable,
  changeOf,
  fileOf,
  journalOf,
  noiseBlob,
  rejectsWith,
  textBlob,
} from '../../testing/store/samples.ts';
import { currentSeq } from '../find.ts';
import type { Store } from '../store.ts';
import { sqliteStore } from './sqlite-store.ts';

const LARGE = noiseBlob(300 * 1024);
const OTHER = noiseBlob(300 * 1024, 2);
const SMALL = textBlob('some text '.repeat(100));

describe('damage', () => {
  it('is noticed in a small blob, which is named', () =>
    withStore(async (store, folder) => {
      await store.timeline.commit({ base: 0, blobs: [SMALL] });
      execute(folder, "UPDATE blobs SET data = CAST('Some' || substr(data, 5) AS BLOB)");
      await assert.rejects(
        store.blobs.read(SMALL.id),
        (error) => isSavepointError(error, 'blob-corrupt') && error.message.includes(SMALL.id),
      );
    }));

  it('is noticed in a compressed blob, and in what it is compressed against', () =>
    withStore(async (store, folder) => {
      const next = textBlob('some text '.repeat(100).replace('text', 'TEXT'));
      const changes = [
        changeOf(1, 'a', { after: fileOf(SMALL) }),
        changeOf(2, 'a', { before: fileOf(SMALL), after: fileOf(next) }),
      ];
      await store.timeline.commit({ base: 0, blobs: [SMALL, next], changes });
      await store.maintain('compact', Number.POSITIVE_INFINITY);
      assert.deepEqual(readRow(folder, 'SELECT max(depth) AS depth FROM blobs'), { depth: 1 });
      execute(
        folder,
        "UPDATE blobs SET data = CAST(substr(data, 1, 4) || x'ffff' AS BLOB) WHERE base IS NULL",
      );
      await rejectsWith(store.blobs.read(SMALL.id), 'blob-corrupt');
      await rejectsWith(store.blobs.read(next.id), 'blob-corrupt');
    }));

  for (const place of ['arrivals', 'own file'] as const) {
    it(`is noticed in a large blob in its ${place}: one bit, the end, all of it`, () =>
      withStore(async (store, folder) => {
        const file = await putLarge(store, folder, place);
        flip(file, 1_000);
        await rejectsWith(store.blobs.read(LARGE.id), 'blob-corrupt');
        truncateSync(file, 1_000);
        await rejectsWith(store.blobs.read(LARGE.id), 'blob-corrupt');
        rmSync(file);
        await rejectsWith(store.blobs.read(LARGE.id), 'blob-missing');
      }));

    it(`of a large blob in its ${place} is mended when the same bytes come again`, () =>
      withStore(async (store, folder) => {
        const ways = [rmSync, (file: string) => truncateSync(file, 9), flip];
        for (const damage of ways) {
          damage(await putLarge(store, folder, place));
          await store.timeline.commit({ base: await currentSeq(store), blobs: [LARGE] });
          await assertReadable(store, LARGE);
          await store.maintain('prune', 0);
        }
        assert.equal((await store.maintain('stats')).blobs, 1);
      }));
  }

  it('in a file that a crash left is not taken over', () =>
    withStore(async (store, folder) => {
      const file = join(folder, 'blobs', LARGE.id);
      writeFileSync(file, LARGE.bytes);
      flip(file);
      assert.equal(await putLarge(store, folder, 'own file'), file);
      await assertReadable(store, LARGE);
    }));

  it('that takes the row of a blob leaves its changes on record', () =>
    withStore(async (store, folder) => {
      const change = changeOf(1, 'a', { after: fileOf(SMALL) });
      await store.timeline.commit({ base: 0, blobs: [SMALL], changes: [change] });
      execute(folder, 'DELETE FROM blobs');
      const [found] = await store.timeline.changes({});
      assert.ok(found?.after?.kind === 'captured' && found.after.blob !== null);
      assert.equal(sameState(found.after, fileOf(SMALL)), false);
      await rejectsWith(store.blobs.read(found.after.blob), 'blob-missing');
    }));

  it('does not stop compaction and pruning of the rest', () =>
    withStore(async (store, folder) => {
      const changes = [
        changeOf(1, 'a', { after: fileOf(LARGE) }),
        changeOf(2, 'b', { after: fileOf(SMALL) }),
        changeOf(3, 'c', { after: fileOf(OTHER) }),
      ];
      await store.timeline.commit({ base: 0, blobs: [LARGE, SMALL, OTHER], changes });
      rmSync(join(folder, 'arrivals'));
      await store.timeline.commit({ base: 3, blobs: [OTHER] });
      await store.maintain('compact', Number.POSITIVE_INFINITY);
      await store.maintain('prune', 99);
      await assertReadable(store, SMALL);
      await assertReadable(store, OTHER);
      await rejectsWith(store.blobs.read(LARGE.id), 'blob-corrupt');
    }));

  it('is noticed in the journal of a restore, before anybody carries it out', () =>
    withStore(async (store, folder) => {
      await store.timeline.commit({ base: 0, journal: journalOf({ phase: 'intent' }) });
      assert.equal((await store.timeline.journal())?.phase, 'intent');
      execute(folder, "UPDATE journal SET content = replace(content, 'intent', 'done')");
      await rejectsWith(store.timeline.journal(), 'store-corrupt');
    }));

  it('of a base does not cost the blob that leans on it, should the base be mended', () =>
    withStore(async (store, folder) => {
      const [base, next] = [noiseBlob(2_000), noiseBlob(2_000)].map(({ bytes }, at) => {
        bytes[0] = at;
        return textBlob(Buffer.from(bytes).toString('base64'));
      });
      assert.ok(base && next);
      const changes = [
        changeOf(1, 'a', { after: fileOf(base) }),
        changeOf(2, 'a', { before: fileOf(base), after: fileOf(next) }),
      ];
      await store.timeline.commit({ base: 0, blobs: [base, next], changes });
      await store.maintain('compact', Number.POSITIVE_INFINITY);
      const { data } = readRow(folder, 'SELECT data FROM blobs WHERE base IS NULL');
      execute(folder, "UPDATE blobs SET data = x'00' WHERE base IS NULL");
      await store.maintain('prune', 99);
      await rejectsWith(store.blobs.read(next.id), 'blob-corrupt');
      execute(folder, 'UPDATE blobs SET data = ? WHERE base IS NULL', data as Uint8Array);
      await assertReadable(store, next);
    }));
});

describe('a commit that fails at its large blobs', () => {
  it('leaves nothing of them behind, and nothing else', () =>
    withStore(async (store, folder) => {
      const arrivals = join(folder, 'arrivals');
      await store.timeline.commit({ base: 0, changes: [changeOf(1, 'a')] });
      const used = changeOf(1, 'a', { after: fileOf(LARGE) });
      await rejectsWith(
        store.timeline.commit({ base: 1, blobs: [LARGE, SMALL, OTHER], changes: [used] }),
        'argument-invalid',
      );
      assert.equal(statSync(arrivals).size, 0);
      rmSync(arrivals);
      mkdirSync(arrivals);
      await rejectsWith(store.timeline.commit({ base: 1, blobs: [SMALL, LARGE] }), 'store-failed');
      await rejectsWith(store.blobs.read(SMALL.id), 'blob-missing');
      rmdirSync(arrivals);
      await store.timeline.commit({ base: 1, blobs: [SMALL, LARGE] });
      await assertReadable(store, LARGE);
    }));
});

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

/** Puts the large blob where it is wanted, and says in which file that is. */
async function putLarge(
  store: Store,
  folder: string,
  place: 'arrivals' | 'own file',
): Promise<string> {
  const base = await currentSeq(store);
  const change = changeOf(base + 1, 'a', { after: fileOf(LARGE) });
  await store.timeline.commit({ base, blobs: [LARGE], changes: [change] });
  if (place === 'arrivals') return join(folder, 'arrivals');
  await store.maintain('compact', Number.POSITIVE_INFINITY);
  return join(folder, 'blobs', LARGE.id);
}

function flip(file: string, at = 0): void {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ 0x80;
  writeFileSync(file, bytes);
}

function execute(folder: string, sql: string, ...values: Uint8Array[]): void {
  const database = new DatabaseSync(join(folder, 'store.db'));
  assert.ok(Number(database.prepare(sql).run(...values).changes) > 0);
  database.close();
}

function readRow(folder: string, sql: string): Record<string, unknown> {
  const database = new DatabaseSync(join(folder, 'store.db'));
  try {
    return { ...database.prepare(sql).get() };
  } finally {
    database.close();
  }
}
