import assert from 'node:assert/strict';
import { CATEGORIES } from '../../store/documents/base-storage.ts';
import type { StorageTests } from '../storage-suite.ts';

export function keepingRules({ test, testTwo }: StorageTests): void {
  test('gives back what was saved', async (storage) => {
    const data = { id: 'session-456', messages: [{ role: 'user', text: 'hello' }], empty: {} };
    await storage.save('session', 'session-456', data);
    assert.deepEqual(await storage.load('session', 'session-456'), data);
  });

  test('says where it keeps something', async (storage) => {
    assert.equal(typeof (await storage.save('config', 'settings', { a: 1 })), 'string');
  });

  test('has nothing at the beginning', async (storage) => {
    assert.equal(await storage.load('session', 'none'), null);
    assert.deepEqual(await storage.list('session'), []);
    assert.equal(await storage.delete('session', 'none'), false);
  });

  test('replaces what a key had', async (storage) => {
    await storage.save('history', 'h', { long: 'x'.repeat(5_000) });
    await storage.save('history', 'h', { short: true });
    assert.deepEqual(await storage.load('history', 'h'), { short: true });
    assert.deepEqual(await storage.list('history'), ['h']);
  });

  test('leaves what is there when asked for something new only', async (storage) => {
    await storage.save('history', 'h', { first: true }, { onlyNew: true });
    await assert.rejects(storage.save('history', 'h', { second: true }, { onlyNew: true }), {
      code: 'document-exists',
    });
    assert.deepEqual(await storage.load('history', 'h'), { first: true });
    await storage.delete('history', 'h');
    await storage.save('history', 'h', { third: true }, { onlyNew: true });
    assert.deepEqual(await storage.load('history', 'h'), { third: true });
  });

  test('deletes one key, once', async (storage) => {
    await storage.save('history', 'a', { n: 1 });
    await storage.save('history', 'b', { n: 2 });
    assert.equal(await storage.delete('history', 'a'), true);
    assert.equal(await storage.delete('history', 'a'), false);
    assert.equal(await storage.load('history', 'a'), null);
    assert.deepEqual(await storage.list('history'), ['b']);
  });

  test('keeps categories apart', async (storage) => {
    for (const category of CATEGORIES) await storage.save(category, 'same', { category });
    for (const category of CATEGORIES) {
      assert.deepEqual(await storage.load(category, 'same'), { category });
      assert.deepEqual(await storage.list(category), ['same']);
    }
    await storage.delete('session', 'same');
    assert.deepEqual(await storage.list('session'), []);
    assert.deepEqual(await storage.list('config'), ['same']);
  });

  test('takes a value as it is when it is saved', async (storage) => {
    const data = { list: [1] };
    const saved = storage.save('history', 'h', data);
    data.list.push(2);
    await saved;
    assert.deepEqual(await storage.load('history', 'h'), { list: [1] });
  });

  test('gives everybody a value of their own', async (storage) => {
    await storage.save('history', 'h', { list: [1] });
    const first = (await storage.load('history', 'h')) as { list: number[] };
    first.list.push(2);
    assert.deepEqual(await storage.load('history', 'h'), { list: [1] });
  });

  testTwo('shows others what was saved, replaced and deleted', async (storage, other) => {
    await storage.save('history', 'h', { n: 1 });
    assert.deepEqual(await other.load('history', 'h'), { n: 1 });
    await other.save('history', 'h', { n: 2 });
    assert.deepEqual(await storage.load('history', 'h'), { n: 2 });
    assert.equal(await other.delete('history', 'h'), true);
    assert.equal(await storage.load('history', 'h'), null);
    assert.deepEqual(await storage.list('history'), []);
  });
}
