import assert from 'node:assert/strict';
import { type State, unknown } from '../../model/state.ts';
import type { ChangeQuery, Store } from '../../store/store.ts';
import {
  changeOf,
  checkpointId,
  checkpointOf,
  fileOf,
  operationId,
  pathOf,
  seqsOf,
  sessionOf,
  textBlob,
} from './samples.ts';
import type { StoreTests } from './test-store.ts';

const BLOB = textBlob('content');

const STATES: readonly State[] = [
  { kind: 'absent' },
  fileOf(BLOB, 0o600),
  { kind: 'captured', type: 'symlink', mode: 0o777, blob: BLOB.id, size: 7 },
  { kind: 'captured', type: 'directory', mode: 0o755, blob: null, size: 0 },
  { kind: 'captured', type: 'file', mode: 0, blob: textBlob('').id, size: 0 },
  unknown('too-large'),
  unknown('purged'),
];

export function changeRules({ test }: StoreTests): void {
  test('keeps every field of a change', async (store) => {
    const full = changeOf(2, 'dir/file', {
      before: fileOf(BLOB),
      after: null,
      origin: 'tool',
      attribution: 'inferred',
      sessionId: 's',
      checkpointId: checkpointId('checkpoint-1'),
      operationId: operationId('o'),
      toolCallId: 'call',
      owner: { kind: 'import', first: 1 },
      createdAt: 1_700_000_000_123,
    });
    await store.timeline.commit({
      base: 0,
      sessions: [sessionOf('s')],
      checkpoints: [checkpointOf(1)],
      changes: [full],
    });
    assert.deepEqual(await store.timeline.changes({}), [full]);
  });

  test('keeps every kind of state on either side', async (store) => {
    const changes = STATES.flatMap((before, row) =>
      STATES.map((after, column) => {
        const seq = row * STATES.length + column + 1;
        return changeOf(seq, `p${seq}`, { before, after });
      }),
    );
    await store.timeline.commit({ base: 0, changes });
    assert.deepEqual(await store.timeline.changes({}), changes);
  });

  test('ends open changes, and knows which are open', async (store) => {
    const open = changeOf(1, 'a', { after: null, before: fileOf(BLOB) });
    await store.timeline.commit({
      base: 0,
      changes: [open, changeOf(2, 'b'), changeOf(3, 'c', { after: null })],
    });
    assert.deepEqual(seqsOf(await store.timeline.changes({ open: true })), [1, 3]);
    await store.timeline.commit({ base: 3, closed: [{ seq: 1, after: unknown('unstable') }] });
    assert.deepEqual(seqsOf(await store.timeline.changes({ open: true })), [3]);
    assert.deepEqual((await store.timeline.changes({}))[0], {
      ...open,
      after: unknown('unstable'),
    });
    await store.timeline.commit({
      base: 3,
      closed: [{ seq: 3, after: unknown('unstable'), attribution: 'shared' }],
    });
    assert.equal((await store.timeline.changes({}))[2]?.attribution, 'shared');
  });

  test('lists the oldest first, and filters by each part of a query', async (store) => {
    await fill(store);
    const seqs = async (query: ChangeQuery): Promise<number[]> =>
      seqsOf(await store.timeline.changes(query));
    const [a, b, none] = ['a', 'b', 'none'].map(pathOf);
    assert.deepEqual(await seqs({}), [1, 2, 3, 4, 5, 6, 7]);
    assert.deepEqual(await seqs({ after: 5 }), [6, 7]);
    assert.deepEqual(await seqs({ after: 7 }), []);
    assert.deepEqual(await seqs({ sessionIds: ['s', 't'] }), [1, 2, 3, 4]);
    assert.deepEqual(await seqs({ sessionIds: [] }), []);
    assert.deepEqual(
      await seqs({ paths: [b, a, a, none].filter((path) => path !== undefined) }),
      [1, 2, 4, 5, 6],
    );
    assert.deepEqual(await seqs({ paths: [] }), []);
    assert.deepEqual(
      await seqs({ checkpointIds: [checkpointId('two'), checkpointId('one')] }),
      [1, 2, 3],
    );
    assert.deepEqual(await seqs({ checkpointIds: [] }), []);
    assert.deepEqual(await seqs({ operationId: operationId('o') }), [5, 6]);
    assert.deepEqual(await seqs({ open: true }), [4, 7]);
  });

  test('filters by all parts of a query together', async (store) => {
    await fill(store);
    const seqs = async (query: ChangeQuery): Promise<number[]> =>
      seqsOf(await store.timeline.changes(query));
    assert.deepEqual(await seqs({ after: 1, sessionIds: ['s'] }), [2, 3]);
    assert.deepEqual(await seqs({ sessionIds: ['t'], open: true }), [4]);
    assert.deepEqual(await seqs({ sessionIds: ['s'], open: true }), []);
    assert.deepEqual(await seqs({ after: 5, operationId: operationId('o') }), [6]);
    const all = {
      after: 1,
      sessionIds: ['s', 't'],
      paths: [pathOf('a'), pathOf('c')],
      checkpointIds: [checkpointId('one'), checkpointId('two')],
    };
    assert.deepEqual(await seqs(all), [3]);
    assert.deepEqual(await seqs({ ...all, open: true }), []);
    assert.deepEqual(await seqs({ ...all, operationId: operationId('o') }), []);
  });

  test('knows by what a change was taken back, in the order in which that happened', async (store) => {
    const pairs = [
      { by: 9, change: 1 },
      { by: 7, change: 2 },
      { by: 8, change: 1 },
    ];
    await store.timeline.commit({ base: 0, cancellations: pairs });
    await store.timeline.commit({ base: 0, cancellations: [{ by: 8, change: 1 }] });
    assert.deepEqual(await store.timeline.cancellations([1, 1]), [pairs[2], pairs[0]]);
    assert.deepEqual(await store.timeline.cancellations([2, 1, 3]), [pairs[1], pairs[2], pairs[0]]);
    assert.deepEqual(await store.timeline.cancellations([7, 8, 9]), []);
    assert.deepEqual(await store.timeline.cancellations([]), []);
  });
}

async function fill(store: Store): Promise<void> {
  const one = { sessionId: 's', checkpointId: checkpointId('one') };
  await store.timeline.commit({
    base: 0,
    sessions: [sessionOf('s'), sessionOf('t')],
    changes: [
      changeOf(1, 'a', one),
      changeOf(2, 'b', one),
      changeOf(3, 'c', { sessionId: 's', checkpointId: checkpointId('two') }),
      changeOf(4, 'a', { sessionId: 't', checkpointId: checkpointId('three'), after: null }),
      changeOf(5, 'a', { origin: 'operation', operationId: operationId('o') }),
      changeOf(6, 'b', { origin: 'operation', operationId: operationId('o') }),
      changeOf(7, 'c', { after: null }),
    ],
  });
}
