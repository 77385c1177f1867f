import assert from 'node:assert/strict';
import { isSavepointError, SavepointError } from '../../model/errors.ts';
import type { BlobId } from '../../model/ids.ts';
import { currentSeq } from '../../store/find.ts';
import type { Blob, BlobReference, Store } from '../../store/store.ts';
import type { Tests } from '../suite.ts';
import {
  assertMissing,
  assertReadable,
  baselineOf,
  changeOf,
  commit,
  fileOf,
  groupsOf,
  noiseBlob,
  rejectsWith,
  textBlob,
  textVersion,
  times,
} from './samples.ts';

const KIB = 1024;
// Around the size at which our own stores change the way in which they keep a blob.
const SIZES = [0, 1, 4 * KIB, 100 * KIB, 256 * KIB - 1, 256 * KIB, 256 * KIB + 1, KIB * KIB];
const SMALL_AND_LARGE = [10, 300 * KIB];
const MANIFEST = textBlob('manifest');

export function blobRules({ test }: Tests<Store>): void {
  for (const size of SIZES) {
    test(`gives back ${size} bytes as they were, also when they come again`, async (store) => {
      const blob = noiseBlob(size);
      await commit(store, { blobs: [blob] });
      await assertReadable(store, blob);
      await commit(store, { blobs: [blob, blob] });
      await assertReadable(store, blob);
      const { blobs, blobBytes, storedBytes } = await store.maintain('stats');
      assert.deepEqual({ blobs, blobBytes }, { blobs: 1, blobBytes: size });
      assert.ok(size === 0 || storedBytes > 0);
    });
  }

  test('says when a blob is not there', async (store) => {
    await assertMissing(store, textBlob('never put'));
    await rejectsWith(store.blobs.read('../../etc/passwd' as BlobId), 'blob-missing');
  });

  for (const size of SMALL_AND_LARGE) {
    test(`keeps the name of ${size} bytes that it was not given, and takes them later`, async (store) => {
      const blob = noiseBlob(size);
      const change = changeOf(1, 'a', { before: fileOf(blob) });
      await commit(store, { changes: [change] });
      assert.deepEqual(await store.timeline.changes({}), [change]);
      await assertMissing(store, blob);
      assert.equal((await store.maintain('stats')).blobs, 0);
      await commit(store, { blobs: [blob] });
      await assertReadable(store, blob);
      assert.equal((await store.maintain('stats')).blobs, 1);
    });

    test(`never hands out ${size} bytes that do not match their hash`, async (store) => {
      const lie = { id: textBlob('something else').id, bytes: noiseBlob(size).bytes };
      const refused = await commit(store, { blobs: [lie] }).then(
        () => false,
        (error) => isSavepointError(error),
      );
      await rejectsWith(store.blobs.read(lie.id), refused ? 'blob-missing' : 'blob-corrupt');
    });

    test(`does not share ${size} bytes with its callers`, async (store) => {
      const blob = noiseBlob(size);
      const given = Uint8Array.from(blob.bytes);
      await commit(store, { blobs: [{ id: blob.id, bytes: given }] });
      given.fill(0);
      (await store.blobs.read(blob.id)).fill(0);
      await assertReadable(store, blob);
    });
  }
}

export function packRules({ test, testTwo }: Tests<Store>): void {
  testTwo('gives back what came in groups, of any size, in any order', async (store, other) => {
    // Around the sizes at which our own store begins another frame.
    const sizes = [...SIZES, 9 * KIB, 3 * KIB * KIB];
    const noise = sizes.map((size) => noiseBlob(size, size + 1));
    const texts = sizes.slice(1).map((size) => textBlob(`${size} `.repeat(size / 3 + 1)));
    const groups = [noise, [], texts, [textBlob('alone')]];
    const { blobs: count, bytes } = await store.blobs.putMany(groupsOf(...groups));
    const blobs = groups.flat();
    assert.deepEqual({ count, bytes }, { count: blobs.length, bytes: sizeOf(blobs) });
    assert.ok((await store.maintain('stats')).packedBytes > 0);
    for (const reader of [store, other]) {
      await assertReadable(reader, ...blobs, ...blobs.toReversed());
    }
  });

  test('keeps thousands of small blobs, each once', async (store) => {
    const blobs = times(3_000, (at) => textBlob(`number ${at} `.repeat(50)));
    const groups = times(60, (at) => blobs.slice(at * 50, at * 50 + 60));
    const { packs, ...counts } = await store.blobs.putMany(groupsOf(...groups));
    assert.deepEqual(counts, { blobs: 3_000, bytes: sizeOf(blobs) });
    assert.ok(packs.length > 0);
    await assertReadable(store, ...blobs);
  });

  test('makes no pack when nothing comes', async (store) => {
    const none = { packs: [], blobs: 0, bytes: 0 };
    assert.deepEqual(await store.blobs.putMany(groupsOf()), none);
    assert.deepEqual(await store.blobs.putMany(groupsOf([], [])), none);
    assert.equal((await store.maintain('stats')).packedBytes, 0);
  });

  test('keeps nothing when the groups fail half way, or a blob has no hash', async (store) => {
    const blobs = times(40, (at) => noiseBlob(100 * KIB, at + 1));
    const failing = async function* (): AsyncGenerator<readonly Blob[]> {
      yield* groupsOf(blobs);
      throw new SavepointError('aborted', 'enough');
    };
    await rejectsWith(store.blobs.putMany(failing()), 'aborted');
    const bad = { ...textBlob('bad'), id: '../bad' as BlobId };
    await rejectsWith(store.blobs.putMany(groupsOf(blobs, [bad])), 'argument-invalid');
    assert.equal((await store.maintain('stats')).packedBytes, 0);
    await assertMissing(store, ...blobs, bad);
  });

  test('never hands out packed bytes that do not match their hash', async (store) => {
    const lie = { id: textBlob('something else').id, bytes: textBlob('a lie').bytes };
    await store.blobs.putMany(groupsOf([textBlob('true'), lie]));
    await rejectsWith(store.blobs.read(lie.id), 'blob-corrupt');
    await assertReadable(store, textBlob('true'));
  });

  for (const size of SMALL_AND_LARGE) {
    test(`does not share ${size} packed bytes with its callers`, async (store) => {
      const blob = noiseBlob(size);
      const given = Uint8Array.from(blob.bytes);
      const groups = async function* (): AsyncGenerator<readonly Blob[]> {
        yield [{ id: blob.id, bytes: given }];
        given.fill(0);
      };
      await store.blobs.putMany(groups());
      (await store.blobs.read(blob.id)).fill(0);
      await assertReadable(store, blob);
    });
  }

  test('reads packed bytes that no row names, and does not count them as a blob', async (store) => {
    const blob = textBlob('packed');
    await keep(store, [blob]);
    await assertReadable(store, blob);
    assert.equal((await store.maintain('stats')).blobs, 0);
  });

  test('reads packed bytes that a row names, and keeps bytes of its own once it is given them', async (store) => {
    const blob = textBlob('packed');
    await keep(store, [blob]);
    await commit(store, { changes: [changeOf(2, 'a', { after: fileOf(blob) })] });
    await assertReadable(store, blob);
    await commit(store, { blobs: [blob], baseline: null });
    await store.maintain('prune', 0);
    await assertReadable(store, blob);
  });

  testTwo('reads through a reference to packed bytes', async (store, other) => {
    const blobs = [textBlob(''), textBlob('packed '.repeat(99)), noiseBlob(400 * KIB)];
    await keep(store, blobs);
    await commit(store, { references: blobs.map(packed) });
    await assertReadable(other, ...blobs);
    const { blobs: count, blobBytes } = await store.maintain('stats');
    assert.deepEqual({ count, blobBytes }, { count: 3, blobBytes: sizeOf(blobs) });
  });

  test('keeps versions readable whose first one is a reference', async (store) => {
    const versions = times(30, (at) => textBlob(textVersion(at)));
    const [first, ...later] = versions as [Blob, ...Blob[]];
    await keep(store, [first]);
    const changes = later.map((blob, at) =>
      changeOf(at + 2, 'a', { before: fileOf(versions[at] ?? blob), after: fileOf(blob) }),
    );
    await commit(store, { references: [packed(first)], blobs: later, changes });
    await store.maintain('compact', Number.POSITIVE_INFINITY);
    await assertReadable(store, ...versions);
    await store.maintain('prune', 20);
    await assertReadable(store, ...versions.slice(18));
    await commit(store, { baseline: null });
    await store.maintain('prune', 25);
    await assertReadable(store, ...versions.slice(24));
  });

  for (const size of SMALL_AND_LARGE) {
    test(`takes ${size} bytes and a reference to them in any order`, async (store) => {
      const [one, two] = [noiseBlob(size), noiseBlob(size, 2)];
      await keep(store, [one, two]);
      for (const blob of [one, two]) {
        await commit(store, { blobs: [blob], references: [packed(one), packed(two)] });
      }
      await assertReadable(store, one, two);
      assert.equal((await store.maintain('stats')).blobs, 2);
    });

    test(`takes ${size} bytes before and after a reference that leads nowhere`, async (store) => {
      const [before, after] = [noiseBlob(size), noiseBlob(size, 2)];
      await commit(store, { blobs: [before] });
      await commit(store, { references: [packed(before), packed(after)] });
      await assertReadable(store, before);
      await assertMissing(store, after);
      await commit(store, { blobs: [after] });
      await assertReadable(store, after);
    });
  }

  test('refers to objects of git only where there is a place for them', async (store) => {
    const blob = textBlob('in git');
    const reference = { ...packed(blob), source: 'git', key: new Uint8Array(20) } as const;
    const committed = commit(store, { references: [reference] });
    if (store.git === null) await rejectsWith(committed, 'argument-invalid');
    else {
      await committed;
      await rejectsWith(store.git.read(reference.key), 'blob-missing');
    }
    await assertMissing(store, blob);
  });
}

export function baselineRules({ test, testTwo }: Tests<Store>): void {
  testTwo('keeps the baseline until another comes, or none', async (store, other) => {
    const first = baselineOf(1, MANIFEST, ['0123456789abcdef'.repeat(2)]);
    await commit(store, { blobs: [MANIFEST], baseline: first });
    assert.deepEqual((await other.state()).baseline, first);
    assert.equal(await currentSeq(store), 1);
    await commit(store, { changes: [changeOf(2, 'a')] });
    assert.deepEqual((await other.state()).baseline, first);
    for (const baseline of [baselineOf(2, textBlob('two')), null]) {
      await commit(store, { baseline });
      assert.deepEqual((await other.state()).baseline, baseline);
    }
  });

  for (const size of SMALL_AND_LARGE) {
    test(`keeps a manifest of ${size} bytes when it prunes, until it is no more`, async (store) => {
      const [manifest, newer] = [noiseBlob(size), noiseBlob(size, 2)];
      await commit(store, { blobs: [manifest, newer], baseline: baselineOf(1, manifest) });
      assert.equal((await store.maintain('prune', 99)).blobs, 1);
      await assertReadable(store, manifest);
      await commit(store, { blobs: [newer], baseline: baselineOf(1, newer) });
      assert.equal((await store.maintain('prune', 99)).blobs, 1);
      await assertMissing(store, manifest);
      await assertReadable(store, newer);
    });
  }

  testTwo('keeps the packs of the baseline when it prunes, and no others', async (store, other) => {
    const [kept, orphan] = [textBlob('kept'), textBlob('orphan')];
    await store.blobs.putMany(groupsOf([orphan]));
    await assertReadable(other, orphan);
    await keep(store, [kept]);
    await store.maintain('prune', 0);
    for (const reader of [store, other]) {
      await assertReadable(reader, kept);
      await assertMissing(reader, orphan);
    }
    await commit(store, { baseline: null });
    await store.maintain('prune', 0);
    await assertMissing(store, kept);
    assert.equal((await store.maintain('stats')).packedBytes, 0);
  });

  testTwo('keeps what rows name when the pack that held it goes', async (store, other) => {
    const blobs = [textBlob(''), textBlob('small '.repeat(99)), noiseBlob(300 * KIB)];
    const unnamed = textBlob('nobody names it');
    await keep(store, [...blobs, unnamed]);
    const changes = blobs.map((blob, at) => changeOf(at + 2, `p${at}`, { after: fileOf(blob) }));
    await commit(store, { references: [...blobs, unnamed].map(packed), changes });
    await store.maintain('prune', 0);
    await assertReadable(other, ...blobs);
    await commit(store, { baseline: baselineOf(1, MANIFEST) });
    await assertReadable(other, ...blobs);
    await store.maintain('prune', 0);
    assert.equal((await store.maintain('stats')).packedBytes, 0);
    await assertReadable(other, ...blobs);
    await assertMissing(store, unnamed);
  });
}

/** Keeps blobs in packs of a baseline, at number 1. */
async function keep(store: Store, blobs: readonly Blob[]): Promise<void> {
  const { packs } = await store.blobs.putMany(groupsOf(blobs));
  await commit(store, { baseline: baselineOf(1, MANIFEST, packs) });
}

function packed({ id, bytes }: Blob): BlobReference {
  return { id, size: bytes.length, source: 'pack', key: null };
}

function sizeOf(blobs: readonly Blob[]): number {
  return blobs.reduce((sum, { bytes }) => sum + bytes.length, 0);
}
