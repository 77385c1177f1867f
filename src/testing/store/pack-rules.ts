import assert from 'node:assert/strict';
import { SavepointError } from '../../model/errors.ts';
import type { BlobId } from '../../model/ids.ts';
import type { Blob, BlobReference, Store } from '../../store/store.ts';
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

const KIB = 1024;
// Around the sizes at which our own store begins another frame.
const SIZES = [0, 1, 9 * KIB, 256 * KIB - 1, 256 * KIB, 256 * KIB + 1, KIB * KIB, 3 * KIB * KIB];

export function packRules({ test, testTwo }: StoreTests): void {
  testTwo('gives back what came in groups, of any size, in any order', async (store, other) => {
    const noise = SIZES.map((size) => noiseBlob(size, size + 1));
    const texts = SIZES.slice(1).map((size) => textBlob(`${size} `.repeat(size / 3 + 1)));
    const groups = [noise, [], texts, [textBlob('alone')]];
    const receipt = await store.blobs.putMany(groupsOf(...groups));
    const blobs = groups.flat();
    assert.equal(receipt.blobs, blobs.length);
    assert.equal(receipt.bytes, sizeOf(blobs));
    assert.ok((await store.maintain('stats')).packedBytes > 0);
    for (const blob of [...blobs, ...blobs.toReversed()]) {
      await assertReadable(store, blob);
      await assertReadable(other, blob);
    }
  });

  test('keeps thousands of small blobs, each once', async (store) => {
    const blobs = Array.from({ length: 3_000 }, (_, at) => textBlob(`number ${at} `.repeat(50)));
    const groups = Array.from({ length: 60 }, (_, at) => blobs.slice(at * 50, at * 50 + 60));
    const { packs, ...counts } = await store.blobs.putMany(groupsOf(...groups));
    assert.deepEqual(counts, { blobs: 3_000, bytes: sizeOf(blobs) });
    assert.ok(packs.length > 0);
    for (const blob of blobs) await assertReadable(store, blob);
  });

  test('makes no pack when nothing comes', async (store) => {
    const none = { packs: [], blobs: 0, bytes: 0 };
    assert.deepEqual(await store.blobs.putMany(groupsOf()), none);
    assert.deepEqual(await store.blobs.putMany(groupsOf([], [])), none);
    assert.equal((await store.maintain('stats')).packedBytes, 0);
  });

  test('keeps nothing when the groups fail half way', async (store) => {
    const blobs = Array.from({ length: 40 }, (_, at) => noiseBlob(100 * KIB, at + 1));
    const groups = async function* (): AsyncGenerator<readonly Blob[]> {
      yield* groupsOf(blobs);
      throw new SavepointError('aborted', 'enough');
    };
    await rejectsWith(store.blobs.putMany(groups()), 'aborted');
    assert.equal((await store.maintain('stats')).packedBytes, 0);
    for (const { id } of blobs) await rejectsWith(store.blobs.read(id), 'blob-missing');
  });

  test('keeps nothing when a blob has no hash for its id', async (store) => {
    const [good, bad] = [textBlob('good'), { ...textBlob('bad'), id: '../bad' as BlobId }];
    await rejectsWith(store.blobs.putMany(groupsOf([good], [bad])), 'argument-invalid');
    assert.equal((await store.maintain('stats')).packedBytes, 0);
    await rejectsWith(store.blobs.read(good.id), 'blob-missing');
    await rejectsWith(store.blobs.read(bad.id), 'blob-missing');
  });

  test('never hands out packed bytes that do not match their hash', async (store) => {
    const lie = { id: textBlob('something else').id, bytes: textBlob('a lie').bytes };
    await store.blobs.putMany(groupsOf([textBlob('true'), lie]));
    await rejectsWith(store.blobs.read(lie.id), 'blob-corrupt');
    await assertReadable(store, textBlob('true'));
  });

  test('does not share packed bytes with its callers', async (store) => {
    for (const blob of [noiseBlob(10), noiseBlob(300 * KIB)]) {
      const given = Uint8Array.from(blob.bytes);
      const groups = async function* (): AsyncGenerator<readonly Blob[]> {
        yield [{ id: blob.id, bytes: given }];
        given.fill(0);
      };
      await store.blobs.putMany(groups());
      (await store.blobs.read(blob.id)).fill(0);
      await assertReadable(store, blob);
    }
  });

  test('reads packed bytes that no row names, and does not count them as a blob', async (store) => {
    const blob = textBlob('packed');
    await keep(store, [blob]);
    await assertReadable(store, blob);
    assert.equal((await store.maintain('stats')).blobs, 0);
  });

  test('keeps bytes of its own of what a pack had when a row named it', async (store) => {
    const blob = textBlob('packed');
    await keep(store, [blob]);
    const change = changeOf(2, 'a', { after: fileOf(blob) });
    await store.timeline.commit({ base: 1, changes: [change] });
    await store.timeline.commit({ base: 2, blobs: [blob], baseline: null });
    await store.maintain('prune', 0);
    await assertReadable(store, blob);
  });

  testTwo('reads through a reference to packed bytes', async (store, other) => {
    const blobs = [textBlob(''), textBlob('packed '.repeat(99)), noiseBlob(400 * KIB)];
    await keep(store, blobs);
    await store.timeline.commit({ base: 1, references: blobs.map(packed) });
    for (const blob of blobs) await assertReadable(other, blob);
    const { blobs: count, blobBytes } = await store.maintain('stats');
    assert.deepEqual({ count, blobBytes }, { count: 3, blobBytes: sizeOf(blobs) });
  });

  test('keeps versions readable whose first one is a reference', async (store) => {
    const versions = Array.from({ length: 30 }, (_, at) => textBlob(version(at)));
    const [first, ...later] = versions;
    assert.ok(first);
    await keep(store, [first]);
    const changes = later.map((blob, at) =>
      changeOf(at + 2, 'a', { before: fileOf(versions[at] ?? blob), after: fileOf(blob) }),
    );
    await store.timeline.commit({ base: 1, references: [packed(first)], blobs: later, changes });
    await store.maintain('compact', Number.POSITIVE_INFINITY);
    for (const blob of versions) await assertReadable(store, blob);
    await store.maintain('prune', 20);
    for (const blob of versions.slice(18)) await assertReadable(store, blob);
    await store.timeline.commit({ base: 30, baseline: null });
    await store.maintain('prune', 25);
    for (const blob of versions.slice(24)) await assertReadable(store, blob);
  });

  for (const size of [100, 300 * KIB]) {
    test(`takes ${size} bytes and a reference to them in any order`, async (store) => {
      const [one, two] = [noiseBlob(size), noiseBlob(size, 2)];
      await keep(store, [one, two]);
      await store.timeline.commit({
        base: 1,
        blobs: [one],
        references: [packed(one), packed(two)],
      });
      await store.timeline.commit({
        base: 1,
        blobs: [two],
        references: [packed(one), packed(two)],
      });
      for (const blob of [one, two]) await assertReadable(store, blob);
      assert.equal((await store.maintain('stats')).blobs, 2);
    });

    test(`keeps ${size} bytes when a reference to nowhere comes`, async (store) => {
      const blob = noiseBlob(size);
      await store.timeline.commit({ base: 0, blobs: [blob] });
      await store.timeline.commit({ base: 0, references: [packed(blob)] });
      await assertReadable(store, blob);
    });

    test(`mends a reference that leads nowhere by ${size} bytes`, async (store) => {
      const blob = noiseBlob(size);
      await store.timeline.commit({ base: 0, references: [packed(blob)] });
      await rejectsWith(store.blobs.read(blob.id), 'blob-missing');
      await store.timeline.commit({ base: 0, blobs: [blob] });
      await assertReadable(store, blob);
    });
  }

  test('refers to objects of git only where there is a place for them', async (store) => {
    const blob = textBlob('in git');
    const reference = { ...packed(blob), source: 'git', key: new Uint8Array(20) } as const;
    const committed = store.timeline.commit({ base: 0, references: [reference] });
    if (store.git === null) await rejectsWith(committed, 'argument-invalid');
    else {
      await committed;
      await rejectsWith(store.git.read(reference.key), 'blob-missing');
    }
    await rejectsWith(store.blobs.read(blob.id), 'blob-missing');
  });
}

/** Keeps blobs in packs of a baseline, at number 1. */
async function keep(store: Store, blobs: readonly Blob[]): Promise<void> {
  const manifest = textBlob('manifest');
  const { packs } = await store.blobs.putMany(groupsOf(blobs));
  await store.timeline.commit({ base: 0, baseline: baselineOf(1, manifest, packs) });
}

function packed({ id, bytes }: Blob): BlobReference {
  return { id, size: bytes.length, source: 'pack', key: null };
}

function sizeOf(blobs: readonly Blob[]): number {
  return blobs.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

function version(at: number): string {
  const lines = Array.from({ length: 300 }, (_, line) => `line ${line} ${line * line * 7919}`);
  lines[at * 3] = `changed in version ${at}`;
  return lines.join('\n');
}
