import assert from 'node:assert/strict';
import { currentSeq, findCheckpoint, oldestCheckpointSeq } from '../../store/find.ts';
import type { CheckpointQuery, Store } from '../../store/store.ts';
import { changeOf, checkpointId, checkpointOf, pathOf, seqsOf, sessionOf } from './samples.ts';
import type { StoreTests } from './test-store.ts';

export function checkpointRules({ test }: StoreTests): void {
  test('keeps every field of a checkpoint', async (store) => {
    const full = checkpointOf(1, {
      id: checkpointId('0a1b2c'),
      sessionId: 's',
      messageId: 'm',
      kind: 'step',
      description: 'two\nlines',
      label: 'before the migration',
      createdAt: 1_700_000_000_123,
      gitHead: 'c0ffee',
      coverage: 'too-many-entries',
    });
    const bare = checkpointOf(2, { kind: 'safety' });
    await store.timeline.commit({ base: 0, sessions: [sessionOf('s')], checkpoints: [full, bare] });
    assert.deepEqual(await findCheckpoint(store, full.id), full);
    assert.deepEqual(await findCheckpoint(store, bare.id), bare);
    assert.equal(await findCheckpoint(store, checkpointId('nope')), null);
  });

  test('replaces a checkpoint by its id', async (store) => {
    await store.timeline.commit({ base: 0, checkpoints: [checkpointOf(1), checkpointOf(2)] });
    const labelled = checkpointOf(1, { label: 'good', messageId: 'm' });
    await store.timeline.commit({ base: 2, checkpoints: [labelled] });
    assert.deepEqual(await store.timeline.checkpoints({}), [checkpointOf(2), labelled]);
    assert.equal(await currentSeq(store), 2);
  });

  test('removes checkpoints, and leaves their changes where they are', async (store) => {
    const change = changeOf(3, 'a', { checkpointId: checkpointId('checkpoint-1') });
    const checkpoints = [checkpointOf(1), checkpointOf(2)];
    await store.timeline.commit({ base: 0, checkpoints, changes: [change] });
    const removedCheckpoints = [checkpointId('checkpoint-1'), checkpointId('not there')];
    await store.timeline.commit({ base: 3, removedCheckpoints });
    assert.deepEqual(seqsOf(await store.timeline.checkpoints({})), [2]);
    assert.deepEqual(await store.timeline.changes({}), [change]);
  });

  test('lists the newest first, whatever their clock says', async (store) => {
    await fill(store);
    assert.deepEqual(seqsOf(await store.timeline.checkpoints({})), [6, 5, 4, 3, 2, 1]);
    assert.deepEqual(seqsOf(await store.timeline.checkpoints({ limit: 2 })), [6, 5]);
    assert.deepEqual(seqsOf(await store.timeline.checkpoints({ limit: 0 })), []);
    assert.deepEqual(seqsOf(await store.timeline.checkpoints({ limit: 99 })), [6, 5, 4, 3, 2, 1]);
  });

  test('filters by each part of a query, and by all of them together', async (store) => {
    await fill(store);
    const seqs = async (query: CheckpointQuery): Promise<number[]> =>
      seqsOf(await store.timeline.checkpoints(query));
    assert.deepEqual(await seqs({ sessionIds: ['a'] }), [4, 2, 1]);
    assert.deepEqual(await seqs({ sessionIds: ['b', 'a', 'a'] }), [5, 4, 2, 1]);
    assert.deepEqual(await seqs({ sessionIds: [] }), []);
    assert.deepEqual(await seqs({ messageId: 'm1' }), [5, 1]);
    assert.deepEqual(await seqs({ kinds: ['manual', 'step'] }), [3, 2]);
    assert.deepEqual(await seqs({ kinds: [] }), []);
    assert.deepEqual(await seqs({ before: 4 }), [3, 2, 1]);
    assert.deepEqual(await seqs({ before: 1 }), []);
    assert.deepEqual(await seqs({ sessionIds: ['a'], before: 4, limit: 1 }), [2]);
    const all = { sessionIds: ['a', 'b'], messageId: 'm1', kinds: ['message'], before: 5 } as const;
    assert.deepEqual(await seqs({ ...all, limit: 5 }), [1]);
  });

  test('filters by the clock and by label', async (store) => {
    await fill(store);
    await store.timeline.commit({ base: 6, checkpoints: [checkpointOf(3, { label: 'lunch' })] });
    assert.deepEqual(seqsOf(await store.timeline.checkpoints({ since: 900 })), [6, 5, 3, 1]);
    assert.deepEqual(seqsOf(await store.timeline.checkpoints({ since: 901, before: 6 })), [5, 3]);
    assert.deepEqual(seqsOf(await store.timeline.checkpoints({ labelled: true })), [3]);
    assert.deepEqual(seqsOf(await store.timeline.checkpoints({ labelled: true, before: 3 })), []);
  });

  test('finds the checkpoints under which a path or one below it changed', async (store) => {
    const paths = ['src', 'src/a', 'src/deep/b', 'src0', 'src-old/a', 'src.ts', 'other'];
    const checkpoints = paths.map((_, at) => checkpointOf(at + 1));
    const changes = paths.map((path, at) =>
      changeOf(at + 11, path, { checkpointId: checkpointId(`checkpoint-${at + 1}`) }),
    );
    changes.push(changeOf(20, 'src/a', { checkpointId: checkpointId('checkpoint-7') }));
    await store.timeline.commit({
      base: 0,
      checkpoints,
      changes: [...changes, changeOf(21, 'src')],
    });
    const under = async (path: string, limit?: number): Promise<number[]> =>
      seqsOf(await store.timeline.checkpoints({ path: pathOf(path), ...(limit && { limit }) }));
    assert.deepEqual(await under('src'), [7, 3, 2, 1]);
    assert.deepEqual(await under('src', 2), [7, 3]);
    assert.deepEqual(await under('src/a'), [7, 2]);
    assert.deepEqual(await under('src/deep'), [3]);
    assert.deepEqual(await under('sr'), []);
  });

  test('finds checkpoints by the first characters of their id, newest first', async (store) => {
    const ids = ['abc', 'ab', 'abd', 'ABC', 'b', 'a%c', 'a_c', 'a*'];
    const checkpoints = ids.map((id, at) => checkpointOf(at + 1, { id: checkpointId(id) }));
    await store.timeline.commit({ base: 0, checkpoints });
    const found = async (prefix: string, limit = 99): Promise<string[]> =>
      (await store.timeline.checkpoints({ prefix, limit })).map(({ id }) => id);
    assert.deepEqual(await found('ab'), ['abd', 'ab', 'abc']);
    assert.deepEqual(await found('ab', 1), ['abd']);
    assert.deepEqual(await found('abc'), ['abc']);
    assert.deepEqual(await found('abcd'), []);
    assert.deepEqual(await found('a%'), ['a%c']);
    assert.deepEqual(await found('a_'), ['a_c']);
    assert.deepEqual(await found('a*'), ['a*']);
    assert.deepEqual(await found(''), ids.toReversed());
  });

  test('knows which ids come right before and right after others', async (store) => {
    const ids = ['abc', 'b', 'abd', 'a%c', 'ABC'];
    const checkpoints = ids.map((id, at) => checkpointOf(at + 1, { id: checkpointId(id) }));
    await store.timeline.commit({ base: 0, checkpoints });
    const beside = async (...asked: string[]): Promise<string[]> =>
      (await store.timeline.checkpoints({ beside: asked.map(checkpointId) })).map(({ id }) => id);
    assert.deepEqual(await beside('abc'), ['a%c', 'abd']);
    assert.deepEqual(await beside('b'), ['abd']);
    assert.deepEqual(await beside('ABC', 'aba'), ['a%c', 'abc']);
    assert.deepEqual(await beside(), []);
  });

  test('knows its oldest checkpoint', async (store) => {
    await store.timeline.commit({ base: 0, checkpoints: [checkpointOf(3), checkpointOf(7)] });
    assert.equal(await oldestCheckpointSeq(store), 3);
    await store.timeline.commit({ base: 7, removedCheckpoints: [checkpointId('checkpoint-3')] });
    assert.equal(await oldestCheckpointSeq(store), 7);
    await store.timeline.commit({ base: 7, removedCheckpoints: [checkpointId('checkpoint-7')] });
    assert.equal(await oldestCheckpointSeq(store), null);
  });

  test('counts the different paths that changed under a checkpoint', async (store) => {
    const [one, two, none] = ['one', 'two', 'none'].map(checkpointId);
    const paths = ['a', 'b', 'a', 'a'];
    const changes = paths.map((path, at) => changeOf(at + 1, path, { checkpointId: one ?? null }));
    changes.push(changeOf(5, 'a', { checkpointId: two ?? null }), changeOf(6, 'c'));
    await store.timeline.commit({ base: 0, changes });
    const counts = await store.timeline.changedPaths(
      [one, none, two, one].filter((id) => id !== undefined),
    );
    assert.deepEqual([...counts].sort(), [
      ['one', 2],
      ['two', 1],
    ]);
    assert.deepEqual([...(await store.timeline.changedPaths([]))], []);
  });
}

async function fill(store: Store): Promise<void> {
  await store.timeline.commit({
    base: 0,
    sessions: [sessionOf('a'), sessionOf('b')],
    checkpoints: [
      checkpointOf(1, { sessionId: 'a', messageId: 'm1', createdAt: 900 }),
      checkpointOf(2, { sessionId: 'a', messageId: 'm2', kind: 'step', createdAt: 100 }),
      checkpointOf(3, { kind: 'manual', createdAt: 500 }),
      checkpointOf(4, { sessionId: 'a', messageId: 'm3', createdAt: 1 }),
      checkpointOf(5, { sessionId: 'b', messageId: 'm1' }),
      checkpointOf(6, { kind: 'safety' }),
    ],
  });
}
