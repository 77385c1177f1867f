import assert from 'node:assert/strict';
import type { Change } from '../../model/change.ts';
import { ABSENT, unknown } from '../../model/state.ts';
import {
  currentSeq,
  findCheckpoint,
  findOperation,
  findSession,
  oldestCheckpointSeq,
} from '../../store/find.ts';
import type { CheckpointQuery, Store } from '../../store/store.ts';
import type { Tests } from '../suite.ts';
import {
  changeOf,
  checkpointId,
  checkpointOf,
  commit,
  FOLDER,
  fileOf,
  journalOf,
  operationId,
  operationOf,
  pathOf,
  seqsOf,
  sessionOf,
  textBlob,
  windowOf,
} from './samples.ts';

const SESSIONS = [sessionOf('s')];

export function sessionRules({ test }: Tests<Store>): void {
  test('finds sessions, checkpoints and operations by their ids', async (store) => {
    const sessions = ['s', 't'].map((id) => sessionOf(id));
    const checkpoints = [1, 2].map((seq) => checkpointOf(seq));
    const operations = [3, 4].map((seq) => operationOf(seq));
    await commit(store, { sessions, checkpoints, operations });
    assert.deepEqual(await findSession(store, 't'), sessions[1]);
    assert.equal(await findSession(store, 'u'), null);
    assert.deepEqual(await findCheckpoint(store, checkpointId('checkpoint-1')), checkpoints[0]);
    assert.equal(await findCheckpoint(store, checkpointId('nope')), null);
    assert.deepEqual(await findOperation(store, operationId('operation-4')), operations[1]);
    assert.equal(await findOperation(store, operationId('nope')), null);
    assert.deepEqual(await store.timeline.sessions([]), []);
  });

  test('lists the most recently active first', async (store) => {
    const times = { early: 1, late: 3, middle: 2 };
    const sessions = Object.entries(times).map(([id, at]) => sessionOf(id, { lastActiveAt: at }));
    const ids = async (): Promise<string[]> =>
      (await store.timeline.sessions()).map(({ id }) => id);
    await commit(store, { sessions });
    assert.deepEqual(await ids(), ['late', 'middle', 'early']);
    await commit(store, { sessions: [sessionOf('early', { lastActiveAt: 9 })] });
    assert.deepEqual(await ids(), ['early', 'late', 'middle']);
  });

  test('replaces a session and keeps what belongs to it', async (store) => {
    const checkpoint = checkpointOf(1, { sessionId: 's' });
    const change = changeOf(2, 'a', { sessionId: 's', checkpointId: checkpoint.id });
    await commit(store, { sessions: SESSIONS, checkpoints: [checkpoint], changes: [change] });
    const archived = sessionOf('s', { archivedAt: 5_000 });
    await commit(store, { sessions: [archived] });
    assert.deepEqual(await store.timeline.sessions(), [archived]);
    assert.deepEqual(await store.timeline.checkpoints({ sessionIds: ['s'] }), [checkpoint]);
    assert.deepEqual(await store.timeline.changes({ sessionIds: ['s'] }), [change]);
  });

  test('takes the checkpoints of a removed session along, and frees its changes', async (store) => {
    const mine = checkpointOf(1, { sessionId: 's' });
    const others = [checkpointOf(2, { sessionId: 'other' }), checkpointOf(3, { kind: 'manual' })];
    const blob = textBlob('a');
    const change = changeOf(4, 'a', { sessionId: 's', checkpointId: mine.id, after: fileOf(blob) });
    await commit(store, {
      blobs: [blob],
      sessions: [...SESSIONS, sessionOf('other')],
      checkpoints: [mine, ...others],
      changes: [change, changeOf(5, 'b', { sessionId: 'other' })],
    });
    await commit(store, { removedSessions: ['s', 'not there'] });
    assert.equal(await findSession(store, 's'), null);
    assert.deepEqual(seqsOf(await store.timeline.checkpoints({})), [3, 2]);
    assert.deepEqual((await store.timeline.changes({}))[0], { ...change, sessionId: null });
    assert.deepEqual(await store.timeline.changes({ sessionIds: ['s'] }), []);
    assert.deepEqual(seqsOf(await store.timeline.changes({ sessionIds: ['other'] })), [5]);
    assert.equal(await currentSeq(store), 5);
  });

  test('removes after it has written, within one batch', async (store) => {
    await commit(store, {
      sessions: SESSIONS,
      checkpoints: [checkpointOf(1, { sessionId: 's' }), checkpointOf(2)],
      removedSessions: ['s'],
      removedCheckpoints: [checkpointId('checkpoint-2')],
    });
    assert.deepEqual(await store.timeline.sessions(), []);
    assert.deepEqual(await store.timeline.checkpoints({}), []);
  });
}

export function checkpointRules({ test }: Tests<Store>): void {
  test('replaces a checkpoint by its id', async (store) => {
    await commit(store, { checkpoints: [checkpointOf(1), checkpointOf(2)] });
    const labelled = checkpointOf(1, { label: 'good', messageId: 'm' });
    await commit(store, { checkpoints: [labelled] });
    assert.deepEqual(await store.timeline.checkpoints({}), [checkpointOf(2), labelled]);
    assert.equal(await currentSeq(store), 2);
  });

  test('removes checkpoints, and leaves their changes where they are', async (store) => {
    const change = changeOf(3, 'a', { checkpointId: checkpointId('checkpoint-1') });
    await commit(store, { checkpoints: [checkpointOf(1), checkpointOf(2)], changes: [change] });
    const removedCheckpoints = [checkpointId('checkpoint-1'), checkpointId('not there')];
    await commit(store, { removedCheckpoints });
    assert.deepEqual(seqsOf(await store.timeline.checkpoints({})), [2]);
    assert.deepEqual(await store.timeline.changes({}), [change]);
  });

  const QUERIES: readonly (readonly [CheckpointQuery, readonly number[]])[] = [
    [{}, [6, 5, 4, 3, 2, 1]],
    [{ limit: 2 }, [6, 5]],
    [{ limit: 0 }, []],
    [{ limit: 99 }, [6, 5, 4, 3, 2, 1]],
    [{ oldestFirst: true, limit: 2 }, [1, 2]],
    [{ sessionIds: ['a'] }, [4, 2, 1]],
    [{ sessionIds: ['b', 'a', 'a'] }, [5, 4, 2, 1]],
    [{ sessionIds: [] }, []],
    [{ messageId: 'm1' }, [5, 1]],
    [{ kinds: ['manual', 'step'] }, [3, 2]],
    [{ kinds: [] }, []],
    [{ before: 4 }, [3, 2, 1]],
    [{ before: 1 }, []],
    [{ sessionIds: ['a'], before: 4, limit: 1 }, [2]],
    [{ sessionIds: ['a', 'b'], messageId: 'm1', kinds: ['message'], before: 5, limit: 5 }, [1]],
    [{ since: 900 }, [6, 5, 1]],
    [{ since: 901, before: 6 }, [5]],
    [{ labelled: true }, [3]],
    [{ labelled: true, before: 3 }, []],
    [{ importedAt: null }, [6, 4, 3, 2, 1]],
    [{ importedAt: 5 }, [5]],
    [{ importedAt: 6 }, []],
    [{ ids: ['checkpoint-2', 'checkpoint-5', 'nope'].map(checkpointId) }, [5, 2]],
    [{ ids: [] }, []],
  ];
  test('filters by each part of a query, and lists the newest first by number', async (store) => {
    await commit(store, {
      sessions: [sessionOf('a'), sessionOf('b')],
      checkpoints: [
        checkpointOf(1, { sessionId: 'a', messageId: 'm1', createdAt: 900 }),
        checkpointOf(2, { sessionId: 'a', messageId: 'm2', kind: 'step', createdAt: 100 }),
        checkpointOf(3, { kind: 'manual', createdAt: 500, label: 'lunch' }),
        checkpointOf(4, { sessionId: 'a', messageId: 'm3', createdAt: 1 }),
        checkpointOf(5, { sessionId: 'b', messageId: 'm1', importedAt: 5 }),
        checkpointOf(6, { kind: 'safety' }),
      ],
    });
    for (const [query, seqs] of QUERIES) {
      const found = seqsOf(await store.timeline.checkpoints(query));
      assert.deepEqual(found, seqs, JSON.stringify(query));
    }
  });

  test('finds the checkpoints under which a path or one below it changed', async (store) => {
    const paths = ['src', 'src/a', 'src/deep/b', 'src0', 'src-old/a', 'src.ts', 'other'];
    const checkpoints = paths.map((_, at) => checkpointOf(at + 1));
    const changes = [...paths, 'src/a'].map((path, at) =>
      changeOf(at + 11, path, {
        after: FOLDER,
        checkpointId: checkpointId(`checkpoint-${Math.min(at + 1, 7)}`),
      }),
    );
    // This one left the path as it was.
    changes.push(changeOf(20, 'src', { checkpointId: checkpointId('checkpoint-6') }));
    await commit(store, { checkpoints, changes: [...changes, changeOf(21, 'src')] });
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
    await commitIds(store, ids);
    const found = (prefix: string, limit = 99) => idsOf(store, { prefix, limit });
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
    await commitIds(store, ['abc', 'b', 'abd', 'a%c', 'ABC']);
    const beside = (...ids: string[]) => idsOf(store, { beside: ids.map(checkpointId) });
    assert.deepEqual(await beside('abc'), ['a%c', 'abd']);
    assert.deepEqual(await beside('b'), ['abd']);
    assert.deepEqual(await beside('ABC', 'aba'), ['a%c', 'abc']);
    assert.deepEqual(await beside(), []);
  });

  test('knows its oldest checkpoint', async (store) => {
    await commit(store, { checkpoints: [checkpointOf(3), checkpointOf(7)] });
    for (const [oldest, next] of [[3, 7] as const, [7, null] as const]) {
      assert.equal(await oldestCheckpointSeq(store), oldest);
      await commit(store, { removedCheckpoints: [checkpointId(`checkpoint-${oldest}`)] });
      assert.equal(await oldestCheckpointSeq(store), next);
    }
  });

  test('counts the different files and folders that changed under a checkpoint', async (store) => {
    const [one, two, none] = [checkpointId('one'), checkpointId('two'), checkpointId('none')];
    const lost: Partial<Change> = { before: unknown('too-large'), after: unknown('too-large') };
    const gone: Partial<Change> = { before: FOLDER, after: ABSENT };
    const begun: Partial<Change> = { after: null };
    await commit(store, {
      changes: [
        ...['a', 'b', 'a', 'a'].map((path, at) => {
          return changeOf(at + 1, path, { ...lost, checkpointId: one });
        }),
        changeOf(5, 'c', { before: FOLDER, after: FOLDER, checkpointId: one }),
        changeOf(6, 'd', { ...gone, checkpointId: one }),
        changeOf(7, 'e', { ...begun, checkpointId: one }),
        changeOf(8, 'a', { ...lost, checkpointId: two }),
        changeOf(9, 'f', lost),
        // Neither was there before nor after: a tool call that was refused.
        changeOf(10, 'g', { before: ABSENT, after: ABSENT, checkpointId: none }),
      ],
    });
    const counts = await store.timeline.changedPaths([one, none, two, one]);
    assert.deepEqual(Object.fromEntries(counts), {
      one: { files: 3, folders: 1, changes: 6, cancelled: [] },
      two: { files: 1, folders: 0, changes: 1, cancelled: [] },
    });
    assert.equal((await store.timeline.changedPaths([])).size, 0);
  });

  test('lists the changes that were taken back, also if that was taken back in turn', async (store) => {
    const [one, two] = [checkpointId('one'), checkpointId('two')];
    const changes = [one, two, one, null].map((checkpointId, at) =>
      changeOf(at + 1, 'a', { checkpointId, after: null }),
    );
    const cancellations = [
      { by: 3, change: 1, inPart: false },
      { by: 4, change: 1, inPart: false },
      { by: 4, change: 3, inPart: false },
    ];
    await commit(store, { changes, cancellations });
    const counts = await store.timeline.changedPaths([one, two]);
    assert.deepEqual(counts.get(one)?.cancelled.toSorted(), [1, 3]);
    assert.deepEqual(counts.get(two)?.cancelled, []);
  });
}

async function commitIds(store: Store, ids: readonly string[]): Promise<void> {
  const checkpoints = ids.map((id, at) => checkpointOf(at + 1, { id: checkpointId(id) }));
  await commit(store, { checkpoints });
}

async function idsOf(store: Store, query: CheckpointQuery): Promise<string[]> {
  return (await store.timeline.checkpoints(query)).map(({ id }) => id);
}

export function operationRules({ test, testTwo }: Tests<Store>): void {
  test('lists, replaces and removes operations, the newest first', async (store) => {
    const seqs = async (limit?: number): Promise<number[]> =>
      seqsOf(await store.timeline.operations(limit === undefined ? {} : { limit }));
    await commit(store, { operations: [1, 2, 3].map((seq) => operationOf(seq)) });
    assert.deepEqual(await seqs(), [3, 2, 1]);
    assert.deepEqual(await seqs(2), [3, 2]);
    assert.deepEqual(await seqs(0), []);
    await commit(store, { operations: [operationOf(1, { inEffect: false })] });
    assert.equal((await findOperation(store, operationId('operation-1')))?.inEffect, false);
    assert.deepEqual(await seqs(), [3, 2, 1]);
    const removedOperations = [operationId('operation-1'), operationId('not there')];
    await commit(store, { removedOperations });
    assert.deepEqual(await seqs(), [3, 2]);
    assert.equal(await currentSeq(store), 3);
  });

  testTwo('keeps a journal until it is replaced or cleared', async (store, other) => {
    const journal = journalOf();
    await commit(store, { journal });
    await commit(store, {});
    assert.deepEqual(await other.timeline.journal(), journal);
    await commit(store, { journal: { ...journal, phase: 'done' } });
    assert.deepEqual(await other.timeline.journal(), { ...journal, phase: 'done' });
    for (let turn = 0; turn < 2; turn += 1) {
      await commit(store, { journal: null });
      assert.equal(await other.timeline.journal(), null);
    }
  });

  test('keeps every field of a journal, with names that are not text', async (store) => {
    const path = pathOf(Uint8Array.of(0x61, 0xff, 0x2f, 0xed, 0xb2, 0x80));
    const journal = journalOf({
      base: 4,
      phase: 'done',
      steps: [
        {
          path,
          how: 'replace',
          from: { kind: 'absent' },
          to: fileOf(textBlob('x')),
          stageFolder: pathOf(Uint8Array.of(0x61, 0xff)),
          stagedName: 'staged \udc80',
          stashName: 'stash',
        },
      ],
      operations: [operationOf(5, { description: 'NUL \0 and \u2028' })],
      changes: [{ ...changeOf(6, 'a'), path }],
      cancellations: [{ by: 6, change: 1, inPart: false }],
    });
    await commit(store, { journal });
    assert.deepEqual(await store.timeline.journal(), journal);
  });
}

export function windowRules({ test }: Tests<Store>): void {
  test('lists windows in the order in which they were opened, and removes them', async (store) => {
    const windows = [5, 2, 3].map((opened) => windowOf(opened));
    await commit(store, { sessions: SESSIONS, windows });
    const opened = async (): Promise<number[]> =>
      (await store.timeline.windows()).map((window) => window.opened);
    assert.deepEqual(await opened(), [2, 3, 5]);
    await commit(store, { removedWindows: ['window-3', 'not there'] });
    assert.deepEqual(await opened(), [2, 5]);
  });

  test('moves to the number at which a window was opened or closed', async (store) => {
    await commit(store, { sessions: SESSIONS, windows: [windowOf(4)] });
    assert.equal(await currentSeq(store), 4);
    const closed = windowOf(4, { closed: 6 });
    await commit(store, { windows: [closed] });
    assert.equal(await currentSeq(store), 6);
    assert.deepEqual(await store.timeline.windows(), [closed]);
    const renamed = { ...closed, description: 'another' };
    await commit(store, { windows: [renamed] });
    assert.deepEqual(await store.timeline.windows(), [renamed]);
    assert.equal(await currentSeq(store), 6);
  });

  test('takes the windows of a removed session along, and no others', async (store) => {
    const other = windowOf(3, { sessionId: 'other', checkpointId: checkpointId('checkpoint-1') });
    const sessions = [...SESSIONS, sessionOf('other')];
    const checkpoints = [checkpointOf(1, { sessionId: 'other' })];
    await commit(store, { sessions, checkpoints, windows: [windowOf(2), other] });
    await commit(store, {
      sessions: [sessionOf('other', { lastActiveAt: 9 })],
      removedSessions: ['s'],
      removedCheckpoints: [checkpointId('checkpoint-1')],
    });
    assert.deepEqual(await store.timeline.windows(), [other]);
  });
}
