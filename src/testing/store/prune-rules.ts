import assert from 'node:assert/strict';
import { currentSeq, findHead } from '../../store/find.ts';
import type { Blob, Store } from '../../store/store.ts';
import {
  assertReadable,
  changeOf,
  checkpointOf,
  fileOf,
  journalOf,
  noiseBlob,
  pathOf,
  rejectsWith,
  seqsOf,
  textBlob,
} from './samples.ts';
import type { StoreTests } from './test-store.ts';

export function pruneRules({ test, testTwo }: StoreTests): void {
  test('drops changes below the floor, and blobs that nothing reaches', async (store) => {
    const [one, two, three] = await chain(store, ['one', 'two', 'three']);
    const result = await store.maintain('prune', 3);
    assert.deepEqual(seqsOf(await store.timeline.changes({})), [3]);
    assert.deepEqual({ changes: result.changes, blobs: result.blobs }, { changes: 2, blobs: 1 });
    assert.ok(result.bytes > 0);
    await rejectsWith(store.blobs.read(one.id), 'blob-missing');
    await assertReadable(store, two);
    await assertReadable(store, three);
  });

  test('says beforehand what would go, and lets it stay', async (store) => {
    const [one] = await chain(store, ['one', 'two', 'three']);
    const before = await store.maintain('stats');
    const foretold = await store.maintain('prunable', 3);
    assert.deepEqual(await store.maintain('stats'), before);
    await assertReadable(store, one);
    const result = await store.maintain('prune', 3);
    assert.deepEqual({ ...foretold, bytes: 0 }, { ...result, bytes: 0 });
    assert.ok(foretold.bytes >= result.bytes);
    assert.deepEqual(await store.maintain('prunable', 3), { changes: 0, blobs: 0, bytes: 0 });
  });

  test('takes up less room when much has gone', async (store) => {
    const blobs = Array.from({ length: 20 }, (_, at) => noiseBlob(50_000, at + 1));
    const changes = blobs.map((blob, at) => changeOf(at + 1, 'a', { after: fileOf(blob) }));
    await store.timeline.commit({ base: 0, blobs, changes });
    await store.maintain('compact', Number.POSITIVE_INFINITY);
    const before = await store.maintain('diskBytes');
    assert.ok(before >= 20 * 50_000);
    await store.maintain('prune', 99);
    assert.ok(before - (await store.maintain('diskBytes')) >= 18 * 50_000);
  });

  test('keeps the head of a path whose changes are gone, and its blob', async (store) => {
    const [, , three] = await chain(store, ['one', 'two', 'three']);
    await store.maintain('prune', 99);
    assert.deepEqual(await store.timeline.changes({}), []);
    const path = pathOf('a');
    assert.deepEqual(await findHead(store, path), {
      path,
      seq: 3,
      state: fileOf(three),
      open: false,
    });
    await assertReadable(store, three);
    assert.equal((await store.maintain('stats')).blobs, 1);
  });

  test('lets open changes stay, with their blobs', async (store) => {
    const [one, two] = [textBlob('one'), textBlob('two')];
    const open = changeOf(1, 'a', { before: fileOf(one), after: null });
    const newer = changeOf(2, 'a', { before: fileOf(two), after: fileOf(two) });
    await store.timeline.commit({ base: 0, blobs: [one, two], changes: [open, newer] });
    assert.equal((await store.maintain('prune', 99)).changes, 1);
    assert.deepEqual(await store.timeline.changes({}), [open]);
    await assertReadable(store, one);
    await assertReadable(store, two);
  });

  test('drops cancellations with either of their changes, and no others', async (store) => {
    const open = changeOf(1, 'a', { after: null });
    const rest = ['b', 'b', 'b', 'b'].map((path, at) => changeOf(at + 2, path));
    const cancellations = [
      { by: 3, change: 2 },
      { by: 3, change: 1 },
      { by: 5, change: 1 },
      { by: 5, change: 4 },
    ];
    await store.timeline.commit({ base: 0, changes: [open, ...rest], cancellations });
    await store.maintain('prune', 4);
    assert.deepEqual(await store.timeline.cancellations([1, 2, 3, 4, 5]), [
      { by: 5, change: 1 },
      { by: 5, change: 4 },
    ]);
  });

  test('lets changes stay that a newer one takes back, until that one goes', async (store) => {
    const changes = ['a', 'a', 'a', 'a'].map((path, at) => changeOf(at + 1, path));
    const cancellations = [
      { by: 3, change: 1 },
      { by: 3, change: 2 },
    ];
    await store.timeline.commit({ base: 0, changes, cancellations });
    await store.maintain('prune', 3);
    assert.deepEqual(seqsOf(await store.timeline.changes({})), [1, 2, 3, 4]);
    assert.deepEqual(await store.timeline.cancellations([1, 2]), cancellations);
    await store.maintain('prune', 4);
    assert.deepEqual(seqsOf(await store.timeline.changes({})), [4]);
    assert.deepEqual(await store.timeline.cancellations([1, 2]), []);
  });

  test('keeps what a journal needs, until it is cleared', async (store) => {
    const blobs = ['from', 'to', 'before', 'after'].map(textBlob) as [Blob, Blob, Blob, Blob];
    const [from, to, before, after] = [...blobs.map((blob) => fileOf(blob))] as [
      ReturnType<typeof fileOf>,
      ReturnType<typeof fileOf>,
      ReturnType<typeof fileOf>,
      ReturnType<typeof fileOf>,
    ];
    const names = { stageFolder: null, stagedName: 'staged', stashName: 'stash' };
    const steps = [{ path: pathOf('a'), how: 'replace' as const, from, to, ...names }];
    const journal = journalOf({ steps, changes: [changeOf(1, 'a', { before, after })] });
    await store.timeline.commit({ base: 0, blobs, journal });
    assert.equal((await store.maintain('prune', 99)).blobs, 0);
    for (const blob of blobs) await assertReadable(store, blob);
    await store.timeline.commit({ base: 0, journal: null });
    assert.equal((await store.maintain('prune', 99)).blobs, 4);
  });

  test('drops blobs that no row ever named, small and large', async (store) => {
    const blobs = [textBlob('small'), noiseBlob(300 * 1024)] as const;
    await store.timeline.commit({ base: 0, blobs });
    assert.equal((await store.maintain('prune', 0)).blobs, 2);
    for (const blob of blobs) await rejectsWith(store.blobs.read(blob.id), 'blob-missing');
    await store.timeline.commit({ base: 0, blobs });
    for (const blob of blobs) await assertReadable(store, blob);
  });

  test('does not count blobs that were never there', async (store) => {
    const never = fileOf(textBlob('never put'));
    const changes = [
      changeOf(1, 'a', { before: never }),
      changeOf(2, 'b', { before: never, after: never }),
    ];
    await store.timeline.commit({ base: 0, changes });
    assert.deepEqual(await store.maintain('prune', 99), { changes: 2, blobs: 0, bytes: 0 });
    assert.deepEqual((await findHead(store, pathOf('b')))?.state, never);
  });

  test('leaves everything else alone, and does nothing the second time', async (store) => {
    await chain(store, ['one', 'two', 'three']);
    await store.timeline.commit({ base: 3, checkpoints: [checkpointOf(4)] });
    await store.maintain('prune', 3);
    assert.deepEqual(await store.maintain('prune', 3), { changes: 0, blobs: 0, bytes: 0 });
    assert.equal(await currentSeq(store), 4);
    assert.deepEqual(seqsOf(await store.timeline.checkpoints({})), [4]);
  });

  testTwo('keeps every live version readable when its base goes', async (store, other) => {
    const texts = Array.from({ length: 40 }, (_, at) => version(at));
    const blobs = await chain(store, texts);
    await store.maintain('compact', Number.POSITIVE_INFINITY);
    for (const floor of [5, 17, 18, 30, 99]) {
      await store.maintain('prune', floor);
      const live = blobs.slice(Math.min(floor, blobs.length) - 2);
      for (const blob of floor > blobs.length ? blobs.slice(-1) : live) {
        await assertReadable(other, blob);
      }
    }
    assert.equal((await store.maintain('stats')).blobs, 1);
  });
}

/** One path that goes through these contents, one change for each. */
async function chain(
  store: Store,
  texts: readonly string[],
): Promise<[Blob, Blob, Blob, ...Blob[]]> {
  const blobs = texts.map(textBlob) as [Blob, Blob, Blob, ...Blob[]];
  const changes = blobs.map((blob, at) => {
    const previous = blobs[at - 1];
    const before = previous === undefined ? { kind: 'absent' as const } : fileOf(previous);
    return changeOf(at + 1, 'a', { before, after: fileOf(blob) });
  });
  await store.timeline.commit({ base: 0, blobs, changes });
  return blobs;
}

function version(at: number): string {
  const lines = Array.from({ length: 400 }, (_, line) => `line ${line} ${line * line * 7919}`);
  lines[at * 3] = `changed in version ${at}`;
  return lines.join('\n');
}
