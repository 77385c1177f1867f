import assert from 'node:assert/strict';
import { blobOf } from '../../store/blob.ts';
import type { Blob, Store } from '../../store/store.ts';
import { assertReadable, changeOf, fileOf, noiseBlob, textBlob } from './samples.ts';
import type { StoreTests } from './test-store.ts';

const FOREVER = Number.POSITIVE_INFINITY;

export function compactRules({ test, testTwo }: StoreTests): void {
  testTwo('keeps every version of a file readable, and gets no larger', async (store, other) => {
    const versions = Array.from({ length: 50 }, (_, at) => edited(noiseBlob(8_000), at));
    await write(store, versions);
    const before = await store.maintain('stats');
    await store.maintain('compact', FOREVER);
    const after = await store.maintain('stats');
    assert.equal(after.blobBytes, before.blobBytes);
    assert.ok(after.storedBytes <= before.storedBytes);
    for (const blob of versions) {
      await assertReadable(store, blob);
      await assertReadable(other, blob);
    }
  });

  test('keeps versions of a large file readable', async (store) => {
    const versions = Array.from({ length: 4 }, (_, at) => edited(noiseBlob(400 * 1024), at));
    versions.push(blobOf(new Uint8Array(500 * 1024)), noiseBlob(300 * 1024, 9));
    await write(store, versions);
    await store.maintain('compact', FOREVER);
    for (const blob of versions) await assertReadable(store, blob);
    await store.maintain('prune', versions.length);
    for (const blob of versions.slice(-2)) await assertReadable(store, blob);
  });

  test('keeps contents readable that come and go', async (store) => {
    const [one, two, empty] = [
      textBlob('one '.repeat(500)),
      textBlob('two '.repeat(500)),
      textBlob(''),
    ];
    const versions = [one, two, one, empty, two, one, two, empty];
    await write(store, versions);
    await store.maintain('compact', FOREVER);
    for (const blob of versions) await assertReadable(store, blob);
    await store.maintain('prune', versions.length);
    for (const blob of [two, empty]) await assertReadable(store, blob);
  });

  test('takes up what an earlier run had no time for', async (store) => {
    const versions = Array.from({ length: 20 }, (_, at) => edited(noiseBlob(2_000), at));
    await write(store, versions);
    await store.maintain('compact', 0);
    for (const blob of versions) await assertReadable(store, blob);
    await store.maintain('compact', 1);
    await store.maintain('compact', FOREVER);
    await store.maintain('compact', FOREVER);
    for (const blob of versions) await assertReadable(store, blob);
  });

  test('leaves a blob alone that is put again after it was compressed', async (store) => {
    const versions = [
      noiseBlob(300 * 1024),
      textBlob('text '.repeat(90_000)),
      textBlob('t '.repeat(99)),
    ];
    await write(store, versions);
    await store.maintain('compact', FOREVER);
    await store.timeline.commit({ base: 3, blobs: versions });
    for (const blob of versions) await assertReadable(store, blob);
    assert.equal((await store.maintain('stats')).blobs, 3);
  });
}

async function write(store: Store, versions: readonly Blob[]): Promise<void> {
  for (const [at, blob] of versions.entries()) {
    const previous = versions[at - 1];
    const before = previous === undefined ? { kind: 'absent' as const } : fileOf(previous);
    const change = changeOf(at + 1, 'file', { before, after: fileOf(blob) });
    await store.timeline.commit({ base: at, blobs: [blob], changes: [change] });
  }
}

function edited({ bytes }: Blob, at: number): Blob {
  const copy = Uint8Array.from(bytes);
  copy.set(new TextEncoder().encode(`edit number ${at}`), at * 10);
  return blobOf(copy);
}
