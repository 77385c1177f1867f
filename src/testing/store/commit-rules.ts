import assert from 'node:assert/strict';
import { ABSENT } from '../../model/state.ts';
import { currentSeq, findSession } from '../../store/find.ts';
import type { Batch, BlobReference, Store } from '../../store/store.ts';
import type { Tests } from '../suite.ts';
import {
  assertMissing,
  assertReadable,
  baselineOf,
  changeOf,
  checkpointOf,
  commit,
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

// One of them is too large for a database.
const BLOBS = [noiseBlob(300 * 1024), textBlob('small')] as const;

export function commitRules({ test, testTwo }: Tests<Store>): void {
  test('starts with nothing in it', async (store) => {
    assert.equal(await currentSeq(store), 0);
    assert.equal((await store.state()).project, null);
    await assertEmpty(store);
  });

  test('keeps the project it is bound to, and the newer one when bound again', async (store) => {
    const inode = '18446744073709551615';
    const identity = { root: '/home/me/\udc80odd', inode, birthtimeNs: '9' };
    await store.setProject(identity);
    await store.setProject(identity);
    assert.deepEqual((await store.state()).project, identity);
    await store.setProject({ ...identity, inode: '7' });
    assert.equal((await store.state()).project?.inode, '7');
  });

  test('takes over rows of another store with their numbers, and heads whose changes are gone', async (store) => {
    const [blob, other] = [textBlob('kept'), textBlob('newer')];
    const head = { path: pathOf('gone'), seq: 4, state: fileOf(blob), open: false };
    const opened = windowOf(5, { closed: 30 });
    await commit(store, { sessions: [sessionOf('s')], carried: { seq: 40 } });
    await commit(store, {
      blobs: [blob, other],
      checkpoints: [checkpointOf(2)],
      changes: [changeOf(7, 'a', { after: fileOf(other) })],
      windows: [opened],
      carried: { seq: 40, heads: [head] },
    });
    await commit(store, { operations: [operationOf(3)], carried: { seq: 40 } });
    assert.equal(await currentSeq(store), 40);
    const heads = await store.timeline.heads();
    assert.deepEqual(heads, [
      { path: pathOf('a'), seq: 7, state: fileOf(other), open: false },
      head,
    ]);
    assert.deepEqual(await store.timeline.windows(), [opened]);
    assert.equal((await store.timeline.operations())[0]?.seq, 3);
    await rejectsWith(commit(store, { checkpoints: [checkpointOf(8)] }), 'argument-invalid');
    await commit(store, { checkpoints: [checkpointOf(41)] });
    await store.maintain('verify', null, null);
  });

  test('moves to the newest number of the rows in a batch', async (store) => {
    await commit(store, { checkpoints: [checkpointOf(1)] });
    assert.equal(await currentSeq(store), 1);
    await commit(store, { changes: [changeOf(2, 'a'), changeOf(5, 'a')] });
    assert.equal(await currentSeq(store), 5);
    await commit(store, { operations: [operationOf(6)] });
    assert.equal(await currentSeq(store), 6);
  });

  test('stays at its number when a batch hands none out', async (store) => {
    await commit(store, { changes: [changeOf(3, 'a', { after: null })] });
    await commit(store, {
      sessions: [sessionOf('s')],
      closed: [{ seq: 3, after: ABSENT }],
      journal: journalOf({ changes: [changeOf(9, 'a')] }),
    });
    await commit(store, {});
    assert.equal(await currentSeq(store), 3);
  });

  test('refuses a batch made against another number, and keeps nothing of it', async (store) => {
    await rejectsWith(store.timeline.commit(everything(1)), 'store-moved-on');
    await assertEmpty(store);
    await store.timeline.commit({ base: 0, checkpoints: [checkpointOf(4)] });
    const late = store.timeline.commit({ base: 3, sessions: [sessionOf('s')] });
    await rejectsWith(late, 'store-moved-on');
    assert.equal(await findSession(store, 's'), null);
    assert.equal(await currentSeq(store), 4);
  });

  for (const [what, part] of CONTRADICTIONS) {
    test(`refuses ${what}, and keeps nothing of the batch`, async (store) => {
      const batch = everything(0);
      await rejectsWith(store.timeline.commit({ ...batch, ...part }), 'argument-invalid');
      await assertEmpty(store);
      assert.equal(await currentSeq(store), 0);
      await store.timeline.commit(batch);
      assert.equal(await currentSeq(store), 3);
    });
  }

  test('does not follow what the caller does with its rows afterwards', async (store) => {
    const change = { ...changeOf(1, 'a', { after: { ...fileOf(textBlob('a')) } }) };
    const wanted = structuredClone(change);
    await commit(store, { changes: [change] });
    Object.assign(change.after as object, { mode: 0o777 });
    Object.assign(change, { origin: 'tool' });
    assert.deepEqual(await store.timeline.changes({}), [wanted]);
  });

  testTwo('shows a commit to another store on the same place at once', async (store, other) => {
    const batch = everything(0);
    await store.timeline.commit(batch);
    await assertHolds(other, batch);
    await commit(other, { checkpoints: [checkpointOf(4)] });
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

const NOBODY = { sessionId: 'nobody' };
const NO_HASH = '../x' as never;

const CONTRADICTIONS: readonly (readonly [string, Partial<Batch>])[] = [
  ['a change whose number was handed out', { changes: [changeOf(0, 'a')] }],
  ['changes out of order', { changes: [changeOf(5, 'a'), changeOf(4, 'b')] }],
  ['a new checkpoint with an old number', { checkpoints: [checkpointOf(0)] }],
  ['a new operation with an old number', { operations: [operationOf(0)] }],
  ['a change of a session that is not there', { changes: [changeOf(2, 'a', NOBODY)] }],
  ['a checkpoint of a session that is not there', { checkpoints: [checkpointOf(2, NOBODY)] }],
  ['a window of a session that is not there', { windows: [windowOf(2, NOBODY)] }],
  ['the end of a change that is not there', { closed: [{ seq: 9, after: ABSENT }] }],
  ['the end of a change that is not open', { closed: [{ seq: 2, after: ABSENT }] }],
  ['a doubt about a change that is not there', { doubted: [9] }],
  ['a window with an old number', { windows: [windowOf(0)] }],
  ['a window that ends with an old number', { windows: [windowOf(1, { closed: 0 })] }],
  ['a window that ends before it begins', { windows: [windowOf(2, { closed: 1 })] }],
  ['a window that moves', { windows: [windowOf(2), windowOf(3, { id: 'window-2' })] }],
  ['two windows with the same number', { windows: [windowOf(2), windowOf(2, { id: 'other' })] }],
  ['a reference whose id is no hash', referring({ id: NO_HASH })],
  ['a reference without a size', referring({ size: -1 })],
  ['a reference to git without an id', referring({ source: 'git' })],
  ['a reference to git by half an id', referring({ source: 'git', key: new Uint8Array(10) })],
  ['a baseline whose manifest is no hash', { baseline: { seq: 1, manifest: NO_HASH, packs: [] } }],
  ['a baseline with a pack that is none', { baseline: baselineOf(1, textBlob('a'), ['../../x']) }],
  ['a blob whose id is no hash', { blobs: [...BLOBS, { ...textBlob('x'), id: NO_HASH }] }],
];

function referring(more: Partial<BlobReference>): Partial<Batch> {
  const { id } = textBlob('packed');
  return { references: [{ id, size: 1, source: 'pack', key: null, ...more }] };
}

/** A batch with one of everything. */
function everything(base: number): Batch {
  const [large, small] = BLOBS;
  return {
    base,
    blobs: BLOBS,
    sessions: [sessionOf('s')],
    checkpoints: [checkpointOf(base + 1, { sessionId: 's' })],
    changes: [changeOf(base + 2, 'a', { before: fileOf(small), after: fileOf(large) })],
    cancellations: [{ by: base + 2, change: base + 1, inPart: false }],
    operations: [operationOf(base + 3)],
    windows: [windowOf(base + 2, { closed: base + 3 })],
    baseline: baselineOf(base + 1, small),
    journal: journalOf(),
  };
}

async function assertHolds(store: Store, batch: Batch): Promise<void> {
  const { timeline } = store;
  await assertReadable(store, ...(batch.blobs ?? []));
  assert.deepEqual(await timeline.sessions(), batch.sessions);
  assert.deepEqual(await timeline.checkpoints({}), batch.checkpoints);
  assert.deepEqual(await timeline.changes({}), batch.changes);
  assert.deepEqual(await timeline.operations(), batch.operations);
  assert.deepEqual(await timeline.windows(), batch.windows);
  assert.deepEqual((await store.state()).baseline, batch.baseline);
  assert.deepEqual(await timeline.journal(), batch.journal);
}

async function assertEmpty(store: Store): Promise<void> {
  const { timeline } = store;
  const rows = { sessions: 0, checkpoints: 0, changes: 0, operations: 0, blobs: 0 };
  const bytes = { blobBytes: 0, storedBytes: 0, packedBytes: 0, gitBytes: 0 };
  assert.deepEqual(await store.maintain('stats'), { ...rows, ...bytes });
  assert.deepEqual(await timeline.sessions(), []);
  assert.deepEqual(await timeline.checkpoints({}), []);
  assert.deepEqual(await timeline.changes({}), []);
  assert.deepEqual(await timeline.heads(), []);
  assert.deepEqual(await timeline.cancellations([0, 1, 2, 3]), []);
  assert.deepEqual(await timeline.operations(), []);
  assert.deepEqual(await timeline.windows(), []);
  assert.equal((await store.state()).baseline, null);
  assert.equal(await timeline.journal(), null);
  await assertMissing(store, ...BLOBS);
}
