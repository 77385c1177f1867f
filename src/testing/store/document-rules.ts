import assert from 'node:assert/strict';
import { SQLiteStorage } from '../../store/documents/sqlite-storage.ts';
import { assemble } from '../../store/parts/assemble.ts';
import { DocumentPacker } from '../../store/parts/document-packer.ts';
import { type Part, partOf } from '../../store/parts/part.ts';
import type { DocumentWrite, Store } from '../../store/store.ts';
import { rejectsWith } from './samples.ts';
import type { StoreTests } from './test-store.ts';

export function documentRules({ test, testTwo }: StoreTests): void {
  test('gives a document back as it was', async (store) => {
    const value = { list: Array.from({ length: 500 }, (_, at) => ({ at, when: new Date(at) })) };
    await save(store, 'state', 'a', value);
    assert.deepEqual(await load(store, 'state', 'a'), value);
    assert.deepEqual(await store.documents.list('state', 'b'), []);
    assert.deepEqual(await store.documents.list('other', 'a'), []);
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

  test('does to a document what was said last', async (store) => {
    const documents = new SQLiteStorage({ store, lockTimeoutMs: 1_000 });
    await documents.save('state', 'a', 0);
    const done = [
      documents.save('state', 'b', 1),
      documents.save('state', 'a', 2),
      documents.delete('state', 'a'),
    ];
    assert.equal((await Promise.all(done)).at(-1), true);
    assert.equal(await documents.load('state', 'a'), null);
    await Promise.all([documents.delete('state', 'b'), documents.save('state', 'b', 3)]);
    assert.equal(await documents.load('state', 'b'), 3);
  });

  testTwo('saves a value again that another has removed and pruned', async (store, other) => {
    const documents = new SQLiteStorage({ store, lockTimeoutMs: 1_000 });
    const list = Array.from({ length: 300 }, (_, at) => ({ at, text: `entry ${at} `.repeat(9) }));
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
    const packer = new DocumentPacker();
    const small = { text: 'small '.repeat(100) };
    const large = { small, list: Array.from({ length: 300 }, (_, at) => ({ at, small: `${at}` })) };
    const documents = new SQLiteStorage({ store, lockTimeoutMs: 1_000 });
    for (const [key, value] of Object.entries({
      a: small,
      b: large,
      c: small,
      d: small,
      e: large,
    })) {
      await documents.save('state', key, value);
    }
    for (const key of ['a', 'c', 'd']) assert.deepEqual(await load(store, 'state', key), small);
    for (const key of ['b', 'e']) assert.deepEqual(await load(store, 'state', key), large);
    await documents.save('state', 'b', small);
    await documents.save('state', 'a', large);
    await store.maintain('prune', 0);
    assert.deepEqual(await load(store, 'state', 'a'), large);
    assert.deepEqual(await load(store, 'state', 'b'), small);
    assert.deepEqual(await load(store, 'state', 'e'), large);
    assert.equal(
      packer.pack(small, 'value').root.id,
      (await store.documents.list('state', 'b'))[0]?.root,
    );
  });

  test('keeps names apart, whatever is in them', async (store) => {
    const names = [
      'exec-1',
      'exec-10',
      '..',
      'a/b',
      '',
      'a\0b',
      'a\0',
      '\ud800',
      '\ud801',
      '"',
      'É',
    ];
    for (const name of names) await save(store, 'state', name, name);
    await save(store, 'state\0', 'exec-1', 'other');
    const keys = (await store.documents.list('state')).map(({ key }) => key);
    assert.deepEqual(
      keys,
      names.toSorted((a, b) => (a < b ? -1 : 1)),
    );
    for (const name of names) assert.equal(await load(store, 'state', name), name);
  });

  test('hands out what a part holds, each once', async (store) => {
    const [leaf, other] = [part('"leaf"'), part('"other"')];
    const middle = part('[{"$part":0},{"$part":0}]', [leaf, leaf]);
    const root = part('[{"$part":0},{"$part":0},{"$part":0}]', [middle, leaf, middle]);
    await store.timeline.commit({ base: 0, parts: [leaf, other, middle, root] });
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
    await rejectsWith(store.timeline.commit({ base: 0, parts: [ready, parent] }), 'part-missing');
    await rejectsWith(store.documents.readParts(ready.id), 'part-missing');
    await rejectsWith(put(store, documentOf('a', parent)), 'part-missing');
    assert.deepEqual(await store.documents.list('state'), []);
    await store.timeline.commit({ base: 0, parts: [leaf, parent] });
    assert.equal((await store.documents.readParts(parent.id)).length, 2);
  });

  testTwo('removes parts that nothing reaches when it prunes', async (store, other) => {
    const [kept, gone, last] = [part('"kept"'), part('"gone"'), part('"last"')];
    const root = part('[{"$part":0}]', [kept]);
    await store.timeline.commit({ base: 0, parts: [gone, last] });
    await put(store, documentOf('a', root, [kept]));
    await put(store, documentOf('b', part('[{"$part":0}]', [last])));
    await other.documents.remove('state', 'b', SOON);
    await other.maintain('prune', 0);
    assert.deepEqual(await load(store, 'state', 'a'), ['kept']);
    for (const { id } of [gone, last])
      await rejectsWith(store.documents.readParts(id), 'part-missing');
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
