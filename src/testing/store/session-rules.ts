import assert from 'node:assert/strict';
import { currentSeq, findCheckpoint, findSession } from '../../store/find.ts';
import {
  changeOf,
  checkpointId,
  checkpointOf,
  fileOf,
  seqsOf,
  sessionOf,
  textBlob,
} from './samples.ts';
import type { StoreTests } from './test-store.ts';

export function sessionRules({ test }: StoreTests): void {
  test('keeps every field of a session', async (store) => {
    const session = sessionOf('s', {
      rootId: 'root',
      agent: 'codex',
      createdAt: 1_700_000_000_123,
      lastActiveAt: 1_700_000_000_456,
      archivedAt: 1_700_000_000_789,
    });
    await store.timeline.commit({ base: 0, sessions: [session] });
    assert.deepEqual(await findSession(store, 's'), session);
    assert.equal(await findSession(store, 'other'), null);
  });

  test('lists the most recently active first', async (store) => {
    const times = { early: 1, late: 3, middle: 2 };
    const sessions = Object.entries(times).map(([id, lastActiveAt]) =>
      sessionOf(id, { lastActiveAt }),
    );
    await store.timeline.commit({ base: 0, sessions });
    assert.deepEqual(
      (await store.timeline.sessions()).map(({ id }) => id),
      ['late', 'middle', 'early'],
    );
    await store.timeline.commit({ base: 0, sessions: [sessionOf('early', { lastActiveAt: 9 })] });
    assert.deepEqual(
      (await store.timeline.sessions()).map(({ id }) => id),
      ['early', 'late', 'middle'],
    );
  });

  test('replaces a session and keeps what belongs to it', async (store) => {
    const checkpoint = checkpointOf(1, { sessionId: 's' });
    const change = changeOf(2, 'a', { sessionId: 's', checkpointId: checkpoint.id });
    await store.timeline.commit({
      base: 0,
      sessions: [sessionOf('s')],
      checkpoints: [checkpoint],
      changes: [change],
    });
    const archived = sessionOf('s', { archivedAt: 5_000 });
    await store.timeline.commit({ base: 2, sessions: [archived] });
    assert.deepEqual(await store.timeline.sessions(), [archived]);
    assert.deepEqual(await store.timeline.checkpoints({ sessionIds: ['s'] }), [checkpoint]);
    assert.deepEqual(await store.timeline.changes({ sessionIds: ['s'] }), [change]);
  });

  test('takes the checkpoints of a removed session along, and frees its changes', async (store) => {
    const blob = textBlob('a');
    const [mine, other, manual] = [
      checkpointOf(1, { sessionId: 's' }),
      checkpointOf(2, { sessionId: 'other' }),
      checkpointOf(3, { kind: 'manual' }),
    ];
    const change = changeOf(4, 'a', { sessionId: 's', checkpointId: mine.id, after: fileOf(blob) });
    await store.timeline.commit({
      base: 0,
      blobs: [blob],
      sessions: [sessionOf('s'), sessionOf('other')],
      checkpoints: [mine, other, manual],
      changes: [change, changeOf(5, 'b', { sessionId: 'other' })],
    });
    await store.timeline.commit({ base: 5, removedSessions: ['s', 'not there'] });
    assert.equal(await findSession(store, 's'), null);
    assert.equal(await findCheckpoint(store, mine.id), null);
    assert.deepEqual(seqsOf(await store.timeline.checkpoints({})), [3, 2]);
    assert.deepEqual((await store.timeline.changes({}))[0], { ...change, sessionId: null });
    assert.deepEqual(seqsOf(await store.timeline.changes({ sessionIds: ['s'] })), []);
    assert.deepEqual(seqsOf(await store.timeline.changes({ sessionIds: ['other'] })), [5]);
    assert.equal(await currentSeq(store), 5);
  });

  test('removes after it has written, within one batch', async (store) => {
    await store.timeline.commit({
      base: 0,
      sessions: [sessionOf('s')],
      checkpoints: [checkpointOf(1, { sessionId: 's' }), checkpointOf(2)],
      removedSessions: ['s'],
      removedCheckpoints: [checkpointId('checkpoint-2')],
    });
    assert.deepEqual(await store.timeline.sessions(), []);
    assert.deepEqual(await store.timeline.checkpoints({}), []);
  });
}
