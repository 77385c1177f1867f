import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { currentSeq } from '../../store/find.ts';
import { partOf } from '../../store/parts/part.ts';
import type { Store } from '../../store/store.ts';
import type { Tests } from '../suite.ts';
import { checkpointId, checkpointOf, commit, groupsOf, rejectsWith, textBlob } from './samples.ts';

const LONG = { timeoutMs: 10_000 };

export function lockRules({ test, testTwo }: Tests<Store>): void {
  test('is given up once however often it is released', async (store) => {
    const first = await store.lock(LONG);
    first.release();
    first.release();
    const second = await store.lock(LONG);
    first.release();
    await rejectsWith(store.lock({ timeoutMs: 10 }), 'store-locked');
    second.release();
    (await store.lock(LONG)).release();
  });

  testTwo('has one holder at a time over all stores of a place', async (store, other) => {
    let holders = 0;
    const work = async (at: Store): Promise<void> => {
      const lock = await at.lock(LONG);
      holders += 1;
      assert.equal(holders, 1);
      await setTimeout(2);
      holders -= 1;
      lock.release();
    };
    await Promise.all(Array.from({ length: 20 }, (_, at) => work(at % 2 === 0 ? store : other)));
  });

  testTwo('serves those of one process in the order in which they came', async (store, other) => {
    const held = await store.lock(LONG);
    const order: number[] = [];
    const waiting = Array.from({ length: 10 }, async (_, at) => {
      const lock = await (at % 3 === 0 ? store : other).lock(LONG);
      order.push(at);
      lock.release();
    });
    held.release();
    await Promise.all(waiting);
    assert.deepEqual(order, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  testTwo('gives up after the time it was told to wait', async (store, other) => {
    const held = await store.lock(LONG);
    const started = performance.now();
    await rejectsWith(other.lock({ timeoutMs: 60 }), 'store-locked');
    const waited = performance.now() - started;
    assert.ok(waited >= 55 && waited < 5_000, `waited ${waited} ms`);
    await rejectsWith(store.lock({ timeoutMs: 0 }), 'store-locked');
    held.release();
    (await other.lock({ timeoutMs: 0 })).release();
  });

  test('goes past those who gave up', async (store) => {
    const held = await store.lock(LONG);
    const impatient = rejectsWith(store.lock({ timeoutMs: 10 }), 'store-locked');
    const patient = store.lock(LONG);
    await impatient;
    held.release();
    (await patient).release();
  });

  test('stops waiting when told to', async (store) => {
    const held = await store.lock(LONG);
    const controller = new AbortController();
    const waiting = rejectsWith(store.lock({ ...LONG, signal: controller.signal }), 'aborted');
    controller.abort();
    await waiting;
    await rejectsWith(store.lock({ ...LONG, signal: controller.signal }), 'aborted');
    held.release();
    await rejectsWith(store.lock({ ...LONG, signal: AbortSignal.abort() }), 'aborted');
    const next = await store.lock({ ...LONG, signal: new AbortController().signal });
    next.release();
  });

  test('does not care for a signal once it is held', async (store) => {
    const controller = new AbortController();
    const held = await store.lock({ ...LONG, signal: controller.signal });
    controller.abort();
    await rejectsWith(store.lock({ timeoutMs: 10 }), 'store-locked');
    held.release();
  });

  testTwo('keeps nobody from reading, nor its holder from writing', async (store, other) => {
    const held = await store.lock(LONG);
    await commit(store, { checkpoints: [checkpointOf(1)] });
    assert.equal(await currentSeq(other), 1);
    await store.maintain('compact', 10);
    await store.maintain('prune', 1);
    held.release();
  });

  testTwo('is released when its store is closed', async (store, other) => {
    const lock = await store.lock(LONG);
    const waiting = rejectsWith(store.lock(LONG), 'store-closed');
    const next = other.lock(LONG);
    await store.close();
    await waiting;
    const held = await next;
    lock.release();
    await rejectsWith(other.lock({ timeoutMs: 10 }), 'store-locked');
    held.release();
  });
}

const PART = partOf('json', [], '1');
const DOCUMENT = { category: 'category', key: 'key', savedAt: 1, root: PART, parts: [] };
const SOON = { timeoutMs: 1 };

type Call = (store: Store) => Promise<unknown> | undefined;
type Calls<Group> = { readonly [Name in keyof Group]: Call };

const TIMELINE: Calls<Store['timeline']> = {
  commit: ({ timeline }) => timeline.commit({ base: 0 }),
  sessions: ({ timeline }) => timeline.sessions(),
  checkpoints: ({ timeline }) => timeline.checkpoints({}),
  privatePaths: ({ timeline }) => timeline.privatePaths(),
  changedPaths: ({ timeline }) => timeline.changedPaths([checkpointId('c')]),
  heads: ({ timeline }) => timeline.heads(),
  changes: ({ timeline }) => timeline.changes({}),
  cancellations: ({ timeline }) => timeline.cancellations([1]),
  operations: ({ timeline }) => timeline.operations(),
  windows: ({ timeline }) => timeline.windows(),
  journal: ({ timeline }) => timeline.journal(),
  executions: ({ timeline }) => timeline.executions(),
  steps: ({ timeline }) => timeline.steps('e'),
};

const BLOBS: Calls<Store['blobs']> = {
  read: ({ blobs }) => blobs.read(textBlob('').id),
  putMany: ({ blobs }) => blobs.putMany(groupsOf()),
};

const DOCUMENTS: Calls<Store['documents']> = {
  put: ({ documents }) => documents.put(DOCUMENT, SOON),
  remove: ({ documents }) => documents.remove('category', 'key', SOON),
  list: ({ documents }) => documents.list('category'),
  read: ({ documents }) => documents.read('category', 'key'),
  readParts: ({ documents }) => documents.readParts(PART.id),
};

const STORE: Calls<Pick<Store, 'state' | 'setProject' | 'lock' | 'maintain'>> = {
  state: (store) => store.state(),
  setProject: (store) => store.setProject({ root: '/', inode: '1', birthtimeNs: '1' }),
  lock: (store) => store.lock({ timeoutMs: 10 }),
  maintain: (store) => store.maintain('stats'),
};

const GIT: Call = ({ git }) => git?.read(new Uint8Array(20));

export function closeRules({ test }: Tests<Store>): void {
  test('can be closed more than once', async (store) => {
    await store.close();
    await store.close();
  });

  const all = { ...STORE, ...TIMELINE, ...BLOBS, ...DOCUMENTS, 'an object of git': GIT };
  for (const [name, call] of Object.entries(all)) {
    test(`refuses ${name} when it is closed`, async (store) => {
      await store.close();
      const called = call(store);
      if (called !== undefined) await rejectsWith(called, 'store-closed');
    });
  }
}
