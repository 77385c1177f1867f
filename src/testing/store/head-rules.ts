import assert from 'node:assert/strict';
import { ABSENT, unknown } from '../../model/state.ts';
import { findHead } from '../../store/find.ts';
import { changeOf, fileOf, pathOf, textBlob } from './samples.ts';
import type { StoreTests } from './test-store.ts';

const [ONE, TWO, THREE] = ['one', 'two', 'three'].map((text) => fileOf(textBlob(text))) as [
  ReturnType<typeof fileOf>,
  ReturnType<typeof fileOf>,
  ReturnType<typeof fileOf>,
];

export function headRules({ test }: StoreTests): void {
  const path = pathOf('a');

  test('follows the newest change of a path', async (store) => {
    await store.timeline.commit({
      base: 0,
      changes: [changeOf(1, 'a', { after: ONE }), changeOf(2, 'b')],
    });
    assert.deepEqual(await findHead(store, path), { path, seq: 1, state: ONE, open: false });
    const changes = [
      changeOf(3, 'a', { before: ONE, after: TWO }),
      changeOf(4, 'a', { before: TWO, after: ABSENT }),
    ];
    await store.timeline.commit({ base: 2, changes });
    assert.deepEqual(await findHead(store, path), { path, seq: 4, state: ABSENT, open: false });
    assert.equal((await findHead(store, pathOf('b')))?.seq, 2);
    assert.equal(await findHead(store, pathOf('c')), null);
  });

  test('is listed for each path, in the order of their bytes', async (store) => {
    // In UTF-16 the last two would change places.
    const paths = ['a', 'a.b', 'a/b', 'b', '\uff41', '👩'].map(pathOf);
    const changes = paths
      .toReversed()
      .map((named, at) => ({ ...changeOf(at + 1, 'x'), path: named }));
    await store.timeline.commit({
      base: 0,
      changes: [...changes, changeOf(9, 'a', { after: null })],
    });
    const heads = await store.timeline.heads();
    assert.deepEqual(
      heads.map((head) => head.path),
      paths,
    );
    for (const head of heads) assert.deepEqual(await findHead(store, head.path), head);
  });

  test('is the before of an open change until that one ends', async (store) => {
    await store.timeline.commit({
      base: 0,
      changes: [changeOf(1, 'a', { before: ONE, after: null })],
    });
    assert.deepEqual(await findHead(store, path), { path, seq: 1, state: ONE, open: true });
    await store.timeline.commit({ base: 1, closed: [{ seq: 1, after: TWO }] });
    assert.deepEqual(await findHead(store, path), { path, seq: 1, state: TWO, open: false });
  });

  test('stays with the newer change when an older one ends late', async (store) => {
    await store.timeline.commit({
      base: 0,
      changes: [changeOf(1, 'a', { before: ONE, after: null })],
    });
    await store.timeline.commit({
      base: 1,
      changes: [changeOf(2, 'a', { before: TWO, after: THREE })],
    });
    await store.timeline.commit({ base: 2, closed: [{ seq: 1, after: TWO }] });
    assert.deepEqual(await findHead(store, path), { path, seq: 2, state: THREE, open: false });
  });

  test('is open when a newer change is, though an older one ends', async (store) => {
    const changes = [
      changeOf(1, 'a', { before: ONE, after: null }),
      changeOf(2, 'a', { before: TWO, after: null }),
    ];
    await store.timeline.commit({ base: 0, changes, closed: [{ seq: 1, after: TWO }] });
    assert.deepEqual(await findHead(store, path), { path, seq: 2, state: TWO, open: true });
  });

  test('can be unknown, and says why', async (store) => {
    await store.timeline.commit({
      base: 0,
      changes: [changeOf(1, 'a', { after: unknown('too-large') })],
    });
    assert.deepEqual((await findHead(store, path))?.state, unknown('too-large'));
    await store.timeline.commit({ base: 1, changes: [changeOf(2, 'a', { after: ONE })] });
    assert.deepEqual((await findHead(store, path))?.state, ONE);
  });
}
