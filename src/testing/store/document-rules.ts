import assert from 'node:assert/strict';
import type { StepAttempt } from '../../model/execution.ts';
import { ProjectStorage } from '../../store/documents/project-storage.ts';
import { assemble } from '../../store/parts/assemble.ts';
import { DocumentPacker } from '../../store/parts/document-packer.ts';
import { type Part, partOf } from '../../store/parts/part.ts';
import type { DocumentWrite, Store } from '../../store/store.ts';
import type { Tests } from '../suite.ts';
import { commit, executionOf, rejectsWith, sessionOf, times } from './samples.ts';

export function documentRules({ test, testTwo }: Tests<Store>): void {
  test('gives a document back as it was', async (store) => {
    const value = { list: times(500, (at) => ({ at, when: new Date(at) })) };
    await save(store, 'state', 'a', value);
    assert.deepEqual(await load(store, 'state', 'a'), value);
    assert.deepEqual(await store.documents.list('state', 'b'), []);
    assert.deepEqual(await store.documents.list('other', 'a'), []);
  });

  test('lists the documents of all categories', async (store) => {
    const names = async () =>
      (await store.documents.list()).map(({ category, key }) => [category, key]);
    assert.deepEqual(await names(), []);
    for (const [category, key] of [
      ['b', '2'],
      ['a\0', '3'],
      ['b', '1'],
    ] as const) {
      await save(store, category, key, 1);
    }
    assert.deepEqual(await names(), [
      ['a\0', '3'],
      ['b', '1'],
      ['b', '2'],
    ]);
    await store.documents.remove('a\0', '3', SOON);
    assert.deepEqual(await names(), [
      ['b', '1'],
      ['b', '2'],
    ]);
  });

  test('replaces a document by its name, and removes it', async (store) => {
    await save(store, 'state', 'a', 1, 5);
    await save(store, 'state', 'a', 2, 7);
    assert.equal(await load(store, 'state', 'a'), 2);
    assert.equal((await store.documents.list('state', 'a'))[0]?.savedAt, 7);
    assert.equal(await store.documents.remove('state', 'a', SOON), true);
    assert.deepEqual(await store.documents.list('state', 'a'), []);
    assert.equal(await store.documents.remove('state', 'a', SOON), false);
  });

  testTwo('leaves a document alone where another was to be new', async (store, other) => {
    const write = documentOf('a', part('1'));
    assert.equal(await store.documents.put(write, { ...SOON, onlyNew: true }), true);
    const second = documentOf('a', part('2'), [part('"unused"')]);
    assert.equal(await other.documents.put(second, { ...SOON, onlyNew: true }), false);
    assert.equal(await load(store, 'state', 'a'), 1);
    await rejectsWith(other.documents.readParts(part('"unused"').id), 'part-missing');
  });

  testTwo('writes documents whoever holds the project lock', async (store, other) => {
    const lock = await store.lock({ timeoutMs: 1_000 });
    await save(other, 'state', 'a', 1);
    assert.equal(await other.documents.remove('state', 'a', SOON), true);
    await save(other, 'state', 'b', 2);
    lock.release();
    assert.equal(await load(store, 'state', 'b'), 2);
  });

  testTwo('leaves the document there where a part is missing', async (store, other) => {
    await save(store, 'state', 'a', 1);
    const lacking = documentOf('a', part('[{"$part":0}]', [part('"gone"')]), [part('"new"')]);
    await rejectsWith(put(other, lacking), 'part-missing');
    const fresh = { ...lacking, key: 'b' };
    await rejectsWith(other.documents.put(fresh, { ...SOON, onlyNew: true }), 'part-missing');
    assert.equal(await load(store, 'state', 'a'), 1);
    assert.deepEqual(await store.documents.list('state', 'b'), []);
    await rejectsWith(store.documents.readParts(part('"new"').id), 'part-missing');
  });

  testTwo('saves a value again that another has removed and pruned', async (store, other) => {
    const documents = new ProjectStorage({ store, lockTimeoutMs: 1_000 });
    const list = times(300, (at) => ({ at, text: `entry ${at} `.repeat(9) }));
    for (const value of [{ n: 1 }, { list }, { list: list.slice(1) }, { n: 2 }, { list }]) {
      await documents.save('state', 'a', value);
      assert.deepEqual(await load(other, 'state', 'a'), value);
      await other.documents.remove('state', 'a', SOON);
      await other.maintain('prune', 0);
      await documents.save('state', 'b', value);
      assert.deepEqual(await load(other, 'state', 'b'), value);
    }
  });

  test('takes a document over into a larger one, and a larger one into a small one', async (store) => {
    const small = { text: 'small '.repeat(100) };
    const large = { small, list: times(300, (at) => ({ at, small: `${at}` })) };
    const documents = new ProjectStorage({ store, lockTimeoutMs: 1_000 });
    const saved = { a: small, b: large, c: small, d: small, e: large };
    for (const values of [saved, { ...saved, a: large, b: small }]) {
      for (const [key, value] of Object.entries(values)) await documents.save('state', key, value);
      await store.maintain('prune', 0);
      for (const [key, value] of Object.entries(values)) {
        assert.deepEqual(await load(store, 'state', key), value);
      }
    }
    const [document] = await store.documents.list('state', 'b');
    assert.equal(new DocumentPacker().pack(small, 'value').root.id, document?.root);
  });

  test('keeps names apart, whatever is in them', async (store) => {
    const odd = ['..', 'a/b', '', 'a\0b', 'a\0', '\ud800', '\ud801', '"', 'É'];
    const names = ['exec-1', 'exec-10', ...odd].toSorted((a, b) => (a < b ? -1 : 1));
    for (const name of names) await save(store, 'state', name, name);
    await save(store, 'state\0', 'exec-1', 'other');
    const keys = (await store.documents.list('state')).map(({ key }) => key);
    assert.deepEqual(keys, names);
    for (const name of names) assert.equal(await load(store, 'state', name), name);
  });

  test('hands out what a part holds, each once', async (store) => {
    const [leaf, other] = [part('"leaf"'), part('"other"')];
    const middle = part('[{"$part":0},{"$part":0}]', [leaf, leaf]);
    const root = part('[{"$part":0},{"$part":0},{"$part":0}]', [middle, leaf, middle]);
    await commit(store, { parts: [leaf, other, middle, root] });
    const ids = (await store.documents.readParts(root.id)).map(({ id }) => id);
    assert.deepEqual(ids.sort(), [leaf.id, middle.id, root.id].sort());
    assert.deepEqual(assemble(root.id, await store.documents.readParts(root.id)), [
      ['leaf', 'leaf'],
      'leaf',
      ['leaf', 'leaf'],
    ]);
    await rejectsWith(store.documents.readParts(part('1').id), 'part-missing');
  });

  test('refuses what names a part that is not there, and writes nothing', async (store) => {
    const [leaf, ready] = [part('1'), part('2')];
    const parent = part('[{"$part":0}]', [leaf]);
    await rejectsWith(commit(store, { parts: [ready, parent] }), 'part-missing');
    await rejectsWith(store.documents.readParts(ready.id), 'part-missing');
    await rejectsWith(put(store, documentOf('a', parent)), 'part-missing');
    assert.deepEqual(await store.documents.list('state'), []);
    await commit(store, { parts: [leaf, parent] });
    assert.equal((await store.documents.readParts(parent.id)).length, 2);
  });

  testTwo('removes parts that nothing reaches when it prunes', async (store, other) => {
    const [kept, gone, last] = [part('"kept"'), part('"gone"'), part('"last"')];
    const root = part('[{"$part":0}]', [kept]);
    await commit(store, { parts: [gone, last] });
    await put(store, documentOf('a', root, [kept]));
    await put(store, documentOf('b', part('[{"$part":0}]', [last])));
    await other.documents.remove('state', 'b', SOON);
    await other.maintain('prune', 0);
    assert.deepEqual(await load(store, 'state', 'a'), ['kept']);
    await rejectsWith(store.documents.readParts(gone.id), 'part-missing');
    await rejectsWith(store.documents.readParts(last.id), 'part-missing');
    // What this store knew of them does not count any more.
    const again = part('[{"$part":0},{"$part":0}]', [gone, last]);
    await rejectsWith(put(store, documentOf('c', again)), 'part-missing');
    await put(store, documentOf('c', again, [gone, last]));
    assert.deepEqual(await load(other, 'state', 'c'), ['gone', 'last']);
  });

  testTwo('keeps what a document holds, whatever its first part weighs', async (store, other) => {
    const leaf = part(JSON.stringify('leaf'));
    for (const length of [10, 1_900, 2_100, 10_000]) {
      const root = part(`[{"$part":0},"${'x'.repeat(length)}"]`, [leaf]);
      await put(store, documentOf(`${length}`, root, [leaf]));
      await other.maintain('prune', 0);
      assert.deepEqual(await load(other, 'state', `${length}`), ['leaf', 'x'.repeat(length)]);
      // The same again, by who takes it to be stored.
      await put(store, documentOf(`${length} again`, root));
      assert.equal((await store.documents.list('state', `${length} again`))[0]?.root, root.id);
    }
  });
}

const SOON = { timeoutMs: 1_000 } as const;

function put(store: Store, write: DocumentWrite): Promise<boolean> {
  return store.documents.put(write, SOON);
}

async function save(store: Store, category: string, key: string, value: unknown, savedAt = 1) {
  const packed = new DocumentPacker().pack(value, 'value');
  await put(store, { category, key, savedAt, ...packed });
}

async function load(store: Store, category: string, key: string): Promise<unknown> {
  const found = await store.documents.read(category, key);
  assert.ok(found !== null);
  assert.deepEqual(await store.documents.list(category, key), [found.document]);
  return assemble(found.document.root, found.parts);
}

function part(text: string, children: readonly Part[] = []): Part {
  return partOf(
    'json',
    children.map(({ id }) => id),
    text,
  );
}

function documentOf(key: string, root: Part, parts: readonly Part[] = []): DocumentWrite {
  return { category: 'state', key, savedAt: 1, root, parts };
}

const ROOT = partOf('json', [], '1');
const OWNER = { kind: 'process', host: 'here', processId: 1, started: 'then' } as const;

export function executionRules({ test }: Tests<Store>): void {
  test('replaces an execution by its id, and keeps its steps', async (store) => {
    const sessions = [sessionOf('s')];
    await commit(store, { sessions, executions: [executionOf('e', { token: 7 })] });
    await commit(store, { parts: [ROOT], steps: [stepOf('e', 0)] });
    const later = executionOf('e', { updatedAt: 9_000 });
    await commit(store, { executions: [later, executionOf('f')] });
    assert.deepEqual(await store.timeline.executions(), [later, executionOf('f')]);
    assert.deepEqual(await store.timeline.executions(['e', 'other']), [later]);
    assert.equal((await store.timeline.steps('e')).length, 1);
  });

  test('lists and replaces steps by index and attempt', async (store) => {
    const failed = stepOf('e', 1, { status: 'failed' });
    const steps = [stepOf('e', 10), stepOf('e', 1, { attempt: 2 }), failed];
    const executions = [executionOf('e'), executionOf('f')];
    await commit(store, { sessions: [sessionOf('s')], executions, parts: [ROOT] });
    await commit(store, { steps: [...steps, stepOf('f', 1)] });
    assert.deepEqual(await store.timeline.steps('e'), steps.toReversed());
    assert.deepEqual(await store.timeline.steps('e', 1), [failed, steps[1]]);
    const again = { ...failed, status: 'killed' as const };
    await commit(store, { steps: [again] });
    assert.deepEqual((await store.timeline.steps('e'))[0], again);
    await rejectsWith(commit(store, { steps: [stepOf('g', 0)] }), 'argument-invalid');
  });

  test('writes nothing for who has lost the execution', async (store) => {
    const sessions = [sessionOf('s')];
    await commit(store, { sessions, executions: [executionOf('e', { token: 2 })] });
    const parts = [ROOT];
    for (const [id, token] of [['e', 1] as const, ['f', 2] as const]) {
      const fence = { executionId: id, token };
      const late = commit(store, { fence, parts, steps: [stepOf('e', 0)] });
      await rejectsWith(late, 'execution-lost');
    }
    assert.deepEqual(await store.timeline.steps('e'), []);
    const fence = { executionId: 'e', token: 2 };
    await commit(store, { fence, parts, steps: [stepOf('e', 0)] });
    assert.equal((await store.timeline.steps('e')).length, 1);
  });

  test('takes the steps of executions along with their session, and parts with both', async (store) => {
    const held = executionOf('e', { owner: OWNER, leaseUntil: 5_000 });
    const executions = [held, executionOf('f', { sessionId: 't' }), executionOf('g')];
    await commit(store, {
      sessions: [sessionOf('s'), sessionOf('t')],
      executions,
      parts: [ROOT],
      steps: [stepOf('e', 0), stepOf('f', 0), stepOf('g', 0)],
    });
    await commit(store, { removedExecutions: ['g', 'not there'] });
    assert.deepEqual(await store.timeline.steps('g'), []);
    await commit(store, { removedSessions: ['s'] });
    const tombstone = executionOf('e', { status: 'removed', token: 2 });
    assert.deepEqual(await store.timeline.executions(['e']), [tombstone]);
    assert.deepEqual(await store.timeline.executions(['f', 'g']), [executions[1]]);
    assert.deepEqual(await store.timeline.steps('e'), []);
    await store.maintain('prune', 0);
    assert.equal((await store.documents.readParts(ROOT.id)).length, 1);
    await commit(store, { removedSessions: ['t'] });
    await store.maintain('prune', 0);
    await rejectsWith(store.documents.readParts(ROOT.id), 'part-missing');
  });

  test('keeps what an execution began with', async (store) => {
    const executions = [executionOf('e', { root: ROOT.id })];
    await commit(store, { sessions: [sessionOf('s')], executions, parts: [ROOT] });
    await store.maintain('prune', 0);
    assert.equal((await store.documents.readParts(ROOT.id)).length, 1);
    await commit(store, { removedExecutions: ['e'] });
    await store.maintain('prune', 0);
    await rejectsWith(store.documents.readParts(ROOT.id), 'part-missing');
  });
}

function stepOf(executionId: string, index: number, more: Partial<StepAttempt> = {}): StepAttempt {
  return {
    executionId,
    index,
    attempt: 1,
    name: `step ${index}`,
    key: null,
    status: 'success',
    checkpointId: null,
    root: ROOT.id,
    result: null,
    error: null,
    effects: [],
    writes: null,
    restored: false,
    rolledBackBy: null,
    startedAt: 1_000,
    endedAt: 2_000,
    ...more,
  };
}
