import assert from 'node:assert/strict';
import { isSavepointError } from '../../model/errors.ts';
import type { BlobId } from '../../model/ids.ts';
import { ABSENT } from '../../model/state.ts';
import { assertReadable, changeOf, fileOf, noiseBlob, rejectsWith, textBlob } from './samples.ts';
import type { StoreTests } from './test-store.ts';

const KIB = 1024;
// Around the size at which our own stores change the way in which they keep a blob.
const SIZES = [0, 1, 4 * KIB, 100 * KIB, 256 * KIB - 1, 256 * KIB, 256 * KIB + 1, KIB * KIB];

export function blobRules({ test }: StoreTests): void {
  for (const size of SIZES) {
    test(`gives back ${size} bytes as they were`, async (store) => {
      const blob = noiseBlob(size);
      await store.timeline.commit({ base: 0, blobs: [blob] });
      await assertReadable(store, blob);
    });

    test(`takes ${size} bytes a second time without harm`, async (store) => {
      const blob = noiseBlob(size);
      await store.timeline.commit({ base: 0, blobs: [blob, blob] });
      await store.timeline.commit({ base: 0, blobs: [blob] });
      await assertReadable(store, blob);
      const { blobs, blobBytes } = await store.maintain('stats');
      assert.deepEqual({ blobs, blobBytes }, { blobs: 1, blobBytes: size });
    });
  }

  test('says when a blob is not there', async (store) => {
    await rejectsWith(store.blobs.read(textBlob('never put').id), 'blob-missing');
    await rejectsWith(store.blobs.read('../../etc/passwd' as BlobId), 'blob-missing');
  });

  for (const size of [10, 300 * KIB]) {
    test(`keeps the name of ${size} bytes that it was not given, and takes them later`, async (store) => {
      const blob = noiseBlob(size);
      const change = changeOf(1, 'a', { before: fileOf(blob), after: ABSENT });
      await store.timeline.commit({ base: 0, changes: [change] });
      assert.deepEqual(await store.timeline.changes({}), [change]);
      await rejectsWith(store.blobs.read(blob.id), 'blob-missing');
      assert.equal((await store.maintain('stats')).blobs, 0);
      await store.timeline.commit({ base: 1, blobs: [blob] });
      await assertReadable(store, blob);
      assert.equal((await store.maintain('stats')).blobs, 1);
    });

    test(`never hands out ${size} bytes that do not match their hash`, async (store) => {
      const lie = { id: textBlob('something else').id, bytes: noiseBlob(size).bytes };
      const refused = await store.timeline.commit({ base: 0, blobs: [lie] }).then(
        () => false,
        (error) => isSavepointError(error),
      );
      await rejectsWith(store.blobs.read(lie.id), refused ? 'blob-missing' : 'blob-corrupt');
    });

    test(`does not share ${size} bytes with its callers`, async (store) => {
      const blob = noiseBlob(size);
      const given = Uint8Array.from(blob.bytes);
      await store.timeline.commit({ base: 0, blobs: [{ id: blob.id, bytes: given }] });
      given.fill(0);
      (await store.blobs.read(blob.id)).fill(0);
      await assertReadable(store, blob);
    });
  }

  test('counts the bytes of its blobs', async (store) => {
    await store.timeline.commit({ base: 0, blobs: [noiseBlob(10), noiseBlob(300 * KIB)] });
    const { blobs, blobBytes, storedBytes } = await store.maintain('stats');
    assert.deepEqual({ blobs, blobBytes }, { blobs: 2, blobBytes: 10 + 300 * KIB });
    assert.ok(storedBytes > 0);
  });
}
