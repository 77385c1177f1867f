import assert from 'node:assert/strict';
import { currentSeq } from '../../store/find.ts';
import { checkpointId, checkpointOf, sessionOf, windowOf } from './samples.ts';
import type { StoreTests } from './test-store.ts';

export function windowRules({ test }: StoreTests): void {
  test('keeps every field of a window', async (store) => {
    const full = windowOf(1, {
      id: 'w',
      checkpointId: checkpointId('0a1b2c'),
      toolCallId: 'call',
      kind: 'call',
      change: 7,
      owner: { kind: 'process', host: 'a:host', processId: 4, started: null },
      description: 'make\nall',
      closed: 2,
      createdAt: 1_700_000_000_123,
    });
    const bare = windowOf(3, { toolCallId: null, owner: null });
    await store.timeline.commit({ base: 0, sessions: [sessionOf('s')], windows: [full, bare] });
    assert.deepEqual(await store.timeline.windows(), [full, bare]);
  });

  test('lists windows in the order in which they were opened', async (store) => {
    const windows = [windowOf(5, { id: 'a' }), windowOf(2, { id: 'z' }), windowOf(3, { id: 'b' })];
    await store.timeline.commit({ base: 0, sessions: [sessionOf('s')], windows });
    assert.deepEqual(
      (await store.timeline.windows()).map(({ opened }) => opened),
      [2, 3, 5],
    );
  });

  test('moves to the number at which a window was opened or closed', async (store) => {
    await store.timeline.commit({ base: 0, sessions: [sessionOf('s')], windows: [windowOf(4)] });
    assert.equal(await currentSeq(store), 4);
    await store.timeline.commit({ base: 4, windows: [windowOf(4, { closed: 6 })] });
    assert.equal(await currentSeq(store), 6);
    assert.deepEqual(await store.timeline.windows(), [windowOf(4, { closed: 6 })]);
  });

  test('takes a window again that was closed before', async (store) => {
    const closed = windowOf(1, { closed: 2 });
    await store.timeline.commit({ base: 0, sessions: [sessionOf('s')], windows: [closed] });
    const renamed = { ...closed, description: 'another' };
    await store.timeline.commit({ base: 2, windows: [renamed] });
    assert.deepEqual(await store.timeline.windows(), [renamed]);
    assert.equal(await currentSeq(store), 2);
  });

  test('removes windows, and lets the others stay', async (store) => {
    const windows = [windowOf(1), windowOf(2), windowOf(3)];
    await store.timeline.commit({ base: 0, sessions: [sessionOf('s')], windows });
    await store.timeline.commit({ base: 3, removedWindows: ['window-2', 'not there'] });
    assert.deepEqual(await store.timeline.windows(), [windowOf(1), windowOf(3)]);
  });

  test('takes the windows of a removed session along, and no others', async (store) => {
    const other = windowOf(2, { sessionId: 'other' });
    const sessions = [sessionOf('s'), sessionOf('other')];
    await store.timeline.commit({ base: 0, sessions, windows: [windowOf(1), other] });
    await store.timeline.commit({ base: 2, removedSessions: ['s'] });
    assert.deepEqual(await store.timeline.windows(), [other]);
  });

  test('keeps the windows of a session that is replaced, or loses its checkpoint', async (store) => {
    const window = windowOf(2, { checkpointId: checkpointId('checkpoint-1') });
    const checkpoints = [checkpointOf(1, { sessionId: 's' })];
    await store.timeline.commit({
      base: 0,
      sessions: [sessionOf('s')],
      checkpoints,
      windows: [window],
    });
    await store.timeline.commit({
      base: 2,
      sessions: [sessionOf('s', { lastActiveAt: 9 })],
      removedCheckpoints: [checkpointId('checkpoint-1')],
    });
    assert.deepEqual(await store.timeline.windows(), [window]);
  });
}
