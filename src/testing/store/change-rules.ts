import assert from 'node:assert/strict';
import type { Seq } from '../../model/ids.ts';
import { ABSENT, type State, unknown } from '../../model/state.ts';
import { findHead } from '../../store/find.ts';
import type { ChangeQuery, Store } from '../../store/store.ts';
import type { Tests } from '../suite.ts';
import {
  changeOf,
  checkpointId,
  checkpointOf,
  commit,
  FOLDER,
  fileOf,
  operationId,
  pathOf,
  seqsOf,
  sessionOf,
  textBlob,
} from './samples.ts';

const [ONE, TWO] = [fileOf(textBlob('one')), fileOf(textBlob('two'))];

const O = operationId('o');
const [FIRST, SECOND] = [checkpointId('one'), checkpointId('two')];
const ALL = {
  after: 1,
  sessionIds: ['s', 't'],
  paths: [pathOf('a'), pathOf('c')],
  checkpointIds: [FIRST, SECOND],
} as const;

const QUERIES: readonly (readonly [ChangeQuery, readonly number[]])[] = [
  [{}, [1, 2, 3, 4, 5, 6, 7]],
  [{ after: 5 }, [6, 7]],
  [{ after: 7 }, []],
  [{ before: 3 }, [1, 2]],
  [{ after: 2, before: 5 }, [3, 4]],
  [{ sessionIds: ['s', 't'] }, [1, 2, 3, 4]],
  [{ sessionIds: [] }, []],
  [{ paths: ['b', 'a', 'a', 'none'].map(pathOf) }, [1, 2, 4, 5, 6]],
  [{ paths: [] }, []],
  [{ checkpointIds: [SECOND, FIRST] }, [1, 2, 3]],
  [{ checkpointIds: [] }, []],
  [{ operationId: O }, [5, 6]],
  [{ open: true }, [4, 7]],
  [{ after: 1, sessionIds: ['s'] }, [2, 3]],
  [{ sessionIds: ['t'], open: true }, [4]],
  [{ sessionIds: ['s'], open: true }, []],
  [{ after: 5, operationId: O }, [6]],
  [ALL, [3]],
  [{ ...ALL, open: true }, []],
  [{ ...ALL, operationId: O }, []],
];

export function changeRules({ test }: Tests<Store>): void {
  test('ends open changes, and knows which are open', async (store) => {
    const open = changeOf(1, 'a', { after: null, before: ONE });
    await commit(store, { changes: [open, changeOf(2, 'b'), changeOf(3, 'c', { after: null })] });
    assert.deepEqual(seqsOf(await store.timeline.changes({ open: true })), [1, 3]);
    const after = unknown('unstable');
    await commit(store, { closed: [{ seq: 1, after }] });
    assert.deepEqual(seqsOf(await store.timeline.changes({ open: true })), [3]);
    assert.deepEqual((await store.timeline.changes({}))[0], { ...open, after });
    await commit(store, { closed: [{ seq: 3, after, attribution: 'shared' }] });
    assert.equal((await store.timeline.changes({}))[2]?.attribution, 'shared');
  });

  test('takes changes on record for shared once it is told to', async (store) => {
    const changes = [changeOf(1, 'a'), changeOf(2, 'b')];
    await commit(store, { changes });
    await commit(store, { doubted: [2, 2] });
    const shared = { ...changes[1], attribution: 'shared' };
    assert.deepEqual(await store.timeline.changes({}), [changes[0], shared]);
  });

  test('lists the oldest first, and filters by each part of a query and by all', async (store) => {
    const one = { sessionId: 's', checkpointId: FIRST };
    await commit(store, {
      sessions: [sessionOf('s'), sessionOf('t')],
      changes: [
        changeOf(1, 'a', one),
        changeOf(2, 'b', one),
        changeOf(3, 'c', { sessionId: 's', checkpointId: SECOND }),
        changeOf(4, 'a', { sessionId: 't', checkpointId: checkpointId('three'), after: null }),
        changeOf(5, 'a', { origin: 'operation', operationId: O }),
        changeOf(6, 'b', { origin: 'operation', operationId: O }),
        changeOf(7, 'c', { after: null }),
      ],
    });
    for (const [query, seqs] of QUERIES) {
      assert.deepEqual(seqsOf(await store.timeline.changes(query)), seqs, JSON.stringify(query));
    }
  });

  test('lists a change of several messages for each of them, but an open one only for its own', async (store) => {
    const own = { sessionId: 's', checkpointId: FIRST };
    const coAuthors = [
      { sessionId: 't', checkpointId: SECOND },
      { sessionId: 's', checkpointId: checkpointId('three') },
    ];
    const changes = [
      changeOf(1, 'a', { sessionId: 't', checkpointId: SECOND }),
      changeOf(2, 'b', { ...own, coAuthors, after: FOLDER }),
      changeOf(3, 'c', own),
      changeOf(4, 'd', { ...own, coAuthors, after: null }),
    ];
    await commit(store, { sessions: [sessionOf('s'), sessionOf('t')], changes });
    assert.deepEqual((await store.timeline.changes({}))[1], changes[1]);
    const seqs = async (query: ChangeQuery): Promise<Seq[]> =>
      seqsOf(await store.timeline.changes(query));
    assert.deepEqual(await seqs({ sessionIds: ['t'] }), [1, 2, 4]);
    assert.deepEqual(await seqs({ sessionIds: ['s', 't'] }), [1, 2, 3, 4]);
    assert.deepEqual(await seqs({ sessionIds: ['t'], after: 1, paths: [pathOf('b')] }), [2]);
    assert.deepEqual(await seqs({ checkpointIds: [checkpointId('three')] }), [2, 4]);
    assert.deepEqual(await seqs({ checkpointIds: [FIRST, SECOND] }), [1, 2, 3, 4]);
    assert.deepEqual(await seqs({ sessionIds: ['t'], open: true }), []);
    assert.deepEqual(await seqs({ sessionIds: ['s'], open: true }), [4]);
    const counts = await store.timeline.changedPaths([FIRST, SECOND, checkpointId('three')]);
    assert.deepEqual(
      [...counts].map(([id, { files, folders }]) => [id, files, folders]).sort(),
      [
        [FIRST, 1, 1],
        [SECOND, 1, 1],
        ['three', 1, 1],
      ].sort(),
    );
    const checkpoints = [checkpointOf(5, { id: SECOND }), checkpointOf(6, { id: FIRST })];
    await commit(store, { checkpoints });
    const under = await store.timeline.checkpoints({ path: pathOf('b') });
    assert.deepEqual(seqsOf(under), [6, 5]);
    await commit(store, { removedSessions: ['s'] });
    assert.deepEqual(await seqs({ sessionIds: ['t'] }), [1, 2, 4]);
  });

  test('knows by what a change was taken back, in the order in which that happened', async (store) => {
    const pairs = [
      { by: 9, change: 1, inPart: false },
      { by: 7, change: 2, inPart: true },
      { by: 8, change: 1, inPart: false },
    ];
    await commit(store, { cancellations: pairs });
    await commit(store, { cancellations: [{ by: 8, change: 1, inPart: false }] });
    assert.deepEqual(await store.timeline.cancellations([1, 1]), [pairs[2], pairs[0]]);
    assert.deepEqual(await store.timeline.cancellations([2, 1, 3]), [pairs[1], pairs[2], pairs[0]]);
    assert.deepEqual(await store.timeline.cancellations([7, 8, 9]), []);
    assert.deepEqual(await store.timeline.cancellations([]), []);
  });
}

export function headRules({ test }: Tests<Store>): void {
  const path = pathOf('a');
  const isHead = async (store: Store, seq: number, state: State, open = false): Promise<void> =>
    assert.deepEqual(await findHead(store, path), { path, seq, state, open });

  test('follows the newest change of a path', async (store) => {
    await commit(store, { changes: [changeOf(1, 'a', { after: ONE }), changeOf(2, 'b')] });
    await isHead(store, 1, ONE);
    const changes = [changeOf(3, 'a', { before: ONE, after: TWO }), changeOf(4, 'a')];
    await commit(store, { changes });
    await isHead(store, 4, ABSENT);
    assert.equal((await findHead(store, pathOf('b')))?.seq, 2);
    assert.equal(await findHead(store, pathOf('c')), null);
    await commit(store, { changes: [changeOf(5, 'a', { after: unknown('too-large') })] });
    await isHead(store, 5, unknown('too-large'));
  });

  test('is listed for each path, in the order of their bytes', async (store) => {
    // In UTF-16 the last two would change places.
    const paths = ['a', 'a.b', 'a/b', 'b', '\uff41', '👩'].map(pathOf);
    const changes = paths.toReversed().map((one, at) => ({ ...changeOf(at + 1, 'x'), path: one }));
    await commit(store, { changes: [...changes, changeOf(9, 'a', { after: null })] });
    const heads = await store.timeline.heads();
    assert.deepEqual(
      heads.map((head) => head.path),
      paths,
    );
    for (const head of heads) assert.deepEqual(await findHead(store, head.path), head);
    assert.deepEqual(await store.timeline.heads([pathOf('none'), ...paths.toReversed()]), heads);
    assert.deepEqual(await store.timeline.heads([]), []);
  });

  test('has a list of private paths beside it, each once', async (store) => {
    assert.deepEqual(await store.timeline.privatePaths(), []);
    await commit(store, { privatePaths: ['b', 'a'].map(pathOf), changes: [changeOf(1, 'a')] });
    await commit(store, { privatePaths: ['a', 'c'].map(pathOf) });
    assert.deepEqual(await store.timeline.privatePaths(), ['a', 'b', 'c'].map(pathOf));
  });

  test('is the before of an open change until that one ends', async (store) => {
    await commit(store, { changes: [changeOf(1, 'a', { before: ONE, after: null })] });
    await isHead(store, 1, ONE, true);
    await commit(store, { closed: [{ seq: 1, after: TWO }] });
    await isHead(store, 1, TWO);
  });

  for (const [what, after] of [['', ABSENT] as const, [', which is open', null] as const]) {
    test(`stays with the newer change${what} when an older one ends late`, async (store) => {
      await commit(store, { changes: [changeOf(1, 'a', { before: ONE, after: null })] });
      await commit(store, { changes: [changeOf(2, 'a', { before: TWO, after })] });
      await commit(store, { closed: [{ seq: 1, after: TWO }] });
      await isHead(store, 2, after ?? TWO, after === null);
    });
  }
}
