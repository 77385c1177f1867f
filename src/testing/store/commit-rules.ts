import assert from 'node:assert/strict';
import { currentSeq, findHead, findSession, oldestCheckpointSeq } from '../../store/find.ts';
import type { Batch, BlobReference, Store } from '../../store/store.ts';
import {
  baselineOf,
  changeOf,
  checkpointOf,
  fileOf,
  journalOf,
  noiseBlob,
  operationOf,
  pathOf,
  rejectsWith,
  sessionOf,
  textBlob,
  windowOf,
} from './samples.ts';
import type { StoreTests } from './test-store.ts';

const LARGE = 300 * 1024;

export function commitRules({ test, testTwo }: StoreTests): void {
  test('starts with nothing in it', async (store) => {
    assert.equal(await currentSeq(store), 0);
    assert.equal((await store.state()).project, null);
    await assertEmpty(store);
  });

  test('keeps the project it is bound to, and the newer one when bound again', async (store) => {
    const identity = {
      root: '/home/me/\udc80odd',
      inode: '18446744073709551615',
      birthtimeNs: '9',
    };
    await store.setProject(identity);
    await store.setProject(identity);
    assert.deepEqual((await store.state()).project, identity);
    await store.setProject({ ...identity, inode: '7' });
    assert.equal((await store.state()).project?.inode, '7');
  });

  test('moves to the newest number of the rows in a batch', async (store) => {
    await store.timeline.commit({ base: 0, checkpoints: [checkpointOf(1)] });
    assert.equal(await currentSeq(store), 1);
    await store.timeline.commit({ base: 1, changes: [changeOf(2, 'a'), changeOf(5, 'a')] });
    assert.equal(await currentSeq(store), 5);
    await store.timeline.commit({ base: 5, operations: [operationOf(6)] });
    assert.equal(await currentSeq(store), 6);
  });

  test('stays at its number when a batch hands none out', async (store) => {
    await store.timeline.commit({ base: 0, changes: [changeOf(3, 'a', { after: null })] });
    await store.timeline.commit({
      base: 3,
      sessions: [sessionOf('s')],
      closed: [{ seq: 3, after: { kind: 'absent' } }],
      journal: journalOf({ changes: [changeOf(9, 'a')] }),
    });
    await store.timeline.commit({ base: 3 });
    assert.equal(await currentSeq(store), 3);
  });

  test('refuses a batch made against another number, and keeps nothing of it', async (store) => {
    await rejectsWith(store.timeline.commit(everything(1)), 'store-moved-on');
    await assertEmpty(store);
    await store.timeline.commit({ base: 0, checkpoints: [checkpointOf(4)] });
    await rejectsWith(
      store.timeline.commit({ base: 3, sessions: [sessionOf('s')] }),
      'store-moved-on',
    );
    assert.equal(await findSession(store, 's'), null);
    assert.equal(await currentSeq(store), 4);
  });

  for (const [what, part] of CONTRADICTIONS) {
    test(`refuses ${what}, and keeps nothing of the batch`, async (store) => {
      const batch = everything(0);
      await rejectsWith(store.timeline.commit({ ...batch, ...part(batch) }), 'argument-invalid');
      await assertEmpty(store);
      assert.equal(await currentSeq(store), 0);
      await store.timeline.commit(batch);
      assert.equal(await currentSeq(store), 3);
    });
  }

  test('does not follow what the caller does with its rows afterwards', async (store) => {
    const change = { ...changeOf(1, 'a', { after: { ...fileOf(textBlob('a')) } }) };
    const wanted = structuredClone(change);
    await store.timeline.commit({ base: 0, changes: [change] });
    Object.assign(change.after as object, { mode: 0o777 });
    Object.assign(change, { origin: 'tool' });
    assert.deepEqual(await store.timeline.changes({}), [wanted]);
  });

  testTwo('shows a commit to another store on the same place at once', async (store, other) => {
    const batch = everything(0);
    await store.timeline.commit(batch);
    await assertHolds(other, batch);
    await other.timeline.commit({ base: 3, checkpoints: [checkpointOf(4)] });
    assert.equal(await currentSeq(store), 4);
  });

  testTwo('lets one of two writers with the same base win', async (store, other) => {
    const results = await Promise.allSettled([
      store.timeline.commit({ base: 0, checkpoints: [checkpointOf(1)] }),
      other.timeline.commit({ base: 0, checkpoints: [checkpointOf(1)] }),
    ]);
    assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    assert.equal((await store.timeline.checkpoints({})).length, 1);
  });

  testTwo('keeps a batch when the store that wrote it is closed', async (store, other) => {
    await store.timeline.commit(everything(0));
    await store.close();
    await assertHolds(other, everything(0));
  });
}

const CONTRADICTIONS: readonly (readonly [string, (batch: Batch) => Partial<Batch>])[] = [
  ['a change whose number was handed out', () => ({ changes: [changeOf(0, 'a')] })],
  ['changes out of order', () => ({ changes: [changeOf(5, 'a'), changeOf(4, 'b')] })],
  ['a new checkpoint with an old number', () => ({ checkpoints: [checkpointOf(0)] })],
  ['a new operation with an old number', () => ({ operations: [operationOf(0)] })],
  [
    'a change of a session that is not there',
    () => ({ changes: [changeOf(2, 'a', { sessionId: 'nobody' })] }),
  ],
  [
    'a checkpoint of a session that is not there',
    () => ({ checkpoints: [checkpointOf(2, { sessionId: 'nobody' })] }),
  ],
  [
    'the end of a change that is not there',
    () => ({ closed: [{ seq: 9, after: { kind: 'absent' } }] }),
  ],
  [
    'the end of a change that is not open',
    () => ({ closed: [{ seq: 2, after: { kind: 'absent' } }] }),
  ],
  ['a window with an old number', () => ({ windows: [windowOf(0)] })],
  ['a window that ends with an old number', () => ({ windows: [windowOf(1, { closed: 0 })] })],
  ['a window that ends before it begins', () => ({ windows: [windowOf(2, { closed: 1 })] })],
  ['a window that moves', () => ({ windows: [windowOf(2), windowOf(3, { id: 'window-2' })] })],
  [
    'two windows with the same number',
    () => ({ windows: [windowOf(2), windowOf(2, { id: 'other' })] }),
  ],
  [
    'a window of a session that is not there',
    () => ({ windows: [windowOf(2, { sessionId: 'nobody' })] }),
  ],
  ['a reference whose id is no hash', () => referring({ id: '../x' as never })],
  ['a reference without a size', () => referring({ size: -1 })],
  ['a reference to git without an id', () => referring({ source: 'git' })],
  ['a reference to git by half an id', () => referring({ source: 'git', key: new Uint8Array(10) })],
  [
    'a baseline whose manifest is no hash',
    () => ({ baseline: { seq: 1, manifest: '../x' as never, packs: [] } }),
  ],
  [
    'a baseline with a pack that is none',
    () => ({ baseline: baselineOf(1, textBlob('small'), ['../../x']) }),
  ],
  [
    'a blob whose id is no hash',
    (batch) => ({ blobs: [...(batch.blobs ?? []), { ...textBlob('x'), id: '../x' as never }] }),
  ],
];

function referring(more: Partial<BlobReference>): Partial<Batch> {
  const { id } = textBlob('packed');
  return { references: [{ id, size: 1, source: 'pack', key: null, ...more }] };
}

/** A batch with one of everything, a blob too large for a database among them. */
function everything(base: number): Batch {
  const [small, large] = [textBlob('small'), noiseBlob(LARGE)];
  return {
    base,
    blobs: [large, small],
    sessions: [sessionOf('s')],
    checkpoints: [checkpointOf(base + 1, { sessionId: 's' })],
    changes: [changeOf(base + 2, 'a', { before: fileOf(small), after: fileOf(large) })],
    cancellations: [{ by: base + 2, change: base + 1 }],
    operations: [operationOf(base + 3)],
    windows: [windowOf(base + 2, { closed: base + 3 })],
    baseline: baselineOf(base + 1, small),
    journal: journalOf(),
  };
}

async function assertHolds(store: Store, batch: Batch): Promise<void> {
  for (const blob of batch.blobs ?? []) {
    assert.deepEqual(await store.blobs.read(blob.id), blob.bytes);
  }
  assert.deepEqual(await store.timeline.sessions(), batch.sessions);
  assert.deepEqual(await store.timeline.checkpoints({}), batch.checkpoints);
  assert.deepEqual(await store.timeline.changes({}), batch.changes);
  assert.deepEqual(await store.timeline.operations(), batch.operations);
  assert.deepEqual(await store.timeline.windows(), batch.windows);
  assert.deepEqual((await store.state()).baseline, batch.baseline);
  assert.deepEqual(await store.timeline.journal(), batch.journal);
}

async function assertEmpty(store: Store): Promise<void> {
  const none = { sessions: 0, checkpoints: 0, changes: 0, operations: 0, blobs: 0 };
  assert.deepEqual(await store.maintain('stats'), {
    ...none,
    blobBytes: 0,
    storedBytes: 0,
    packedBytes: 0,
    gitBytes: 0,
  });
  assert.deepEqual(await store.timeline.sessions(), []);
  assert.deepEqual(await store.timeline.checkpoints({}), []);
  assert.equal(await oldestCheckpointSeq(store), null);
  assert.deepEqual(await store.timeline.changes({}), []);
  assert.deepEqual(await store.timeline.cancellations([0, 1, 2, 3]), []);
  assert.deepEqual(await store.timeline.operations(), []);
  assert.deepEqual(await store.timeline.windows(), []);
  assert.equal((await store.state()).baseline, null);
  assert.equal(await store.timeline.journal(), null);
  assert.equal(await findHead(store, pathOf('a')), null);
  for (const blob of everything(0).blobs ?? []) {
    await rejectsWith(store.blobs.read(blob.id), 'blob-missing');
  }
}
