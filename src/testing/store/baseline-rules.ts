import assert from 'node:assert/strict';
import {
  assertReadable,
  baselineOf,
  changeOf,
  fileOf,
  groupsOf,
  noiseBlob,
  rejectsWith,
  textBlob,
} from './samples.ts';
import type { StoreTests } from './test-store.ts';

export function baselineRules({ test, testTwo }: StoreTests): void {
  testTwo('keeps the baseline until another comes, or none', async (store, other) => {
    const [one, two] = [textBlob('one'), textBlob('two')];
    const first = baselineOf(1, one, ['0123456789abcdef'.repeat(2)]);
    await store.commit({ base: 0, blobs: [one], baseline: first });
    assert.deepEqual(await other.baseline(), first);
    assert.equal(await store.seq(), 1);
    await store.commit({ base: 1, changes: [changeOf(2, 'a')] });
    assert.deepEqual(await other.baseline(), first);
    await store.commit({ base: 2, blobs: [two], baseline: baselineOf(2, two) });
    assert.deepEqual(await other.baseline(), baselineOf(2, two));
    await store.commit({ base: 2, baseline: null });
    assert.equal(await other.baseline(), null);
  });

  for (const size of [100, 300 * 1024]) {
    test(`keeps a manifest of ${size} bytes when it prunes, until it is no more`, async (store) => {
      const [manifest, newer] = [noiseBlob(size), noiseBlob(size, 2)];
      await store.commit({ base: 0, blobs: [manifest, newer], baseline: baselineOf(1, manifest) });
      assert.equal((await store.prune(99)).blobs, 1);
      await assertReadable(store, manifest);
      await store.commit({ base: 1, blobs: [newer], baseline: baselineOf(1, newer) });
      assert.equal((await store.prune(99)).blobs, 1);
      await rejectsWith(store.readBlob(manifest.id), 'blob-missing');
      await assertReadable(store, newer);
    });
  }

  testTwo('keeps the packs of the baseline when it prunes, and no others', async (store, other) => {
    const [kept, orphan, manifest] = [textBlob('kept'), textBlob('orphan'), textBlob('manifest')];
    const { packs } = await store.putBlobs(groupsOf([kept]));
    await store.putBlobs(groupsOf([orphan]));
    assert.deepEqual(await other.readPacked(orphan.id), Uint8Array.from(orphan.bytes));
    await store.commit({ base: 0, blobs: [manifest], baseline: baselineOf(1, manifest, packs) });
    await store.prune(0);
    for (const reader of [store, other]) {
      assert.deepEqual(await reader.readPacked(kept.id), Uint8Array.from(kept.bytes));
      assert.equal(await reader.readPacked(orphan.id), null);
    }
    await store.commit({ base: 1, baseline: null });
    await store.prune(0);
    assert.equal(await store.readPacked(kept.id), null);
    assert.equal((await store.stats()).packedBytes, 0);
  });

  testTwo('keeps what rows name when the pack that held it goes', async (store, other) => {
    const blobs = [textBlob(''), textBlob('small '.repeat(99)), noiseBlob(300 * 1024)];
    const unnamed = textBlob('nobody names it');
    const manifest = textBlob('manifest');
    const { packs } = await store.putBlobs(groupsOf([...blobs, unnamed]));
    const references = [...blobs, unnamed].map(({ id, bytes }) => ({
      id,
      size: bytes.length,
      source: 'pack' as const,
      key: null,
    }));
    const changes = blobs.map((blob, at) => changeOf(at + 1, `p${at}`, { after: fileOf(blob) }));
    const baseline = baselineOf(1, manifest, packs);
    await store.commit({ base: 0, blobs: [manifest], references, changes, baseline });
    await store.prune(0);
    for (const blob of blobs) await assertReadable(other, blob);
    await store.commit({ base: 3, baseline: baselineOf(1, manifest) });
    for (const blob of blobs) await assertReadable(other, blob);
    await store.prune(0);
    assert.equal((await store.stats()).packedBytes, 0);
    for (const blob of blobs) await assertReadable(other, blob);
    await rejectsWith(store.readBlob(unnamed.id), 'blob-missing');
  });
}
