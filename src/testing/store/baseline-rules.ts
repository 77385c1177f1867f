import assert from 'node:assert/strict';
import { currentSeq } from '../../store/find.ts';
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
    await store.timeline.commit({ base: 0, blobs: [one], baseline: first });
    assert.deepEqual((await other.state()).baseline, first);
    assert.equal(await currentSeq(store), 1);
    await store.timeline.commit({ base: 1, changes: [changeOf(2, 'a')] });
    assert.deepEqual((await other.state()).baseline, first);
    await store.timeline.commit({ base: 2, blobs: [two], baseline: baselineOf(2, two) });
    assert.deepEqual((await other.state()).baseline, baselineOf(2, two));
    await store.timeline.commit({ base: 2, baseline: null });
    assert.equal((await other.state()).baseline, null);
  });

  for (const size of [100, 300 * 1024]) {
    test(`keeps a manifest of ${size} bytes when it prunes, until it is no more`, async (store) => {
      const [manifest, newer] = [noiseBlob(size), noiseBlob(size, 2)];
      await store.timeline.commit({
        base: 0,
        blobs: [manifest, newer],
        baseline: baselineOf(1, manifest),
      });
      assert.equal((await store.maintain('prune', 99)).blobs, 1);
      await assertReadable(store, manifest);
      await store.timeline.commit({ base: 1, blobs: [newer], baseline: baselineOf(1, newer) });
      assert.equal((await store.maintain('prune', 99)).blobs, 1);
      await rejectsWith(store.blobs.read(manifest.id), 'blob-missing');
      await assertReadable(store, newer);
    });
  }

  testTwo('keeps the packs of the baseline when it prunes, and no others', async (store, other) => {
    const [kept, orphan, manifest] = [textBlob('kept'), textBlob('orphan'), textBlob('manifest')];
    const { packs } = await store.blobs.putMany(groupsOf([kept]));
    await store.blobs.putMany(groupsOf([orphan]));
    assert.deepEqual(await other.blobs.read(orphan.id), Uint8Array.from(orphan.bytes));
    await store.timeline.commit({
      base: 0,
      blobs: [manifest],
      baseline: baselineOf(1, manifest, packs),
    });
    await store.maintain('prune', 0);
    for (const reader of [store, other]) {
      assert.deepEqual(await reader.blobs.read(kept.id), Uint8Array.from(kept.bytes));
      await rejectsWith(reader.blobs.read(orphan.id), 'blob-missing');
    }
    await store.timeline.commit({ base: 1, baseline: null });
    await store.maintain('prune', 0);
    await rejectsWith(store.blobs.read(kept.id), 'blob-missing');
    assert.equal((await store.maintain('stats')).packedBytes, 0);
  });

  testTwo('keeps what rows name when the pack that held it goes', async (store, other) => {
    const blobs = [textBlob(''), textBlob('small '.repeat(99)), noiseBlob(300 * 1024)];
    const unnamed = textBlob('nobody names it');
    const manifest = textBlob('manifest');
    const { packs } = await store.blobs.putMany(groupsOf([...blobs, unnamed]));
    const references = [...blobs, unnamed].map(({ id, bytes }) => ({
      id,
      size: bytes.length,
      source: 'pack' as const,
      key: null,
    }));
    const changes = blobs.map((blob, at) => changeOf(at + 1, `p${at}`, { after: fileOf(blob) }));
    const baseline = baselineOf(1, manifest, packs);
    await store.timeline.commit({ base: 0, blobs: [manifest], references, changes, baseline });
    await store.maintain('prune', 0);
    for (const blob of blobs) await assertReadable(other, blob);
    await store.timeline.commit({ base: 3, baseline: baselineOf(1, manifest) });
    for (const blob of blobs) await assertReadable(other, blob);
    await store.maintain('prune', 0);
    assert.equal((await store.maintain('stats')).packedBytes, 0);
    for (const blob of blobs) await assertReadable(other, blob);
    await rejectsWith(store.blobs.read(unnamed.id), 'blob-missing');
  });
}
