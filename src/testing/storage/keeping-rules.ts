import assert from 'node:assert/strict';
import { type BaseStorage, CATEGORIES } from '../../store/documents/base-storage.ts';
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

export function damageRules({ testDamage }: StorageTests): void {
  testDamage('says that a value is damaged, and where it is', async (storage, damage) => {
    await storage.save('session', 'bad', { n: 1 });
    await damage('session', 'bad');
    await assert.rejects(storage.load('session', 'bad'), (error: Error & { path?: string }) => {
      assert.equal((error as { code?: string }).code, 'document-corrupt');
      assert.equal(typeof error.path, 'string');
      return true;
    });
  });

  testDamage(
    'lists and loads the others, and lists the damaged one too',
    async (storage, damage) => {
      for (const key of ['a', 'bad', 'z']) await storage.save('session', key, { key });
      await damage('session', 'bad');
      assert.deepEqual((await storage.list('session')).sort(), ['a', 'bad', 'z']);
      assert.deepEqual(await storage.load('session', 'a'), { key: 'a' });
      assert.deepEqual(await storage.load('session', 'z'), { key: 'z' });
    },
  );

  testDamage('replaces a damaged value', async (storage, damage) => {
    await storage.save('session', 'bad', { n: 1 });
    await damage('session', 'bad');
    await storage.save('session', 'bad', { n: 2 });
    assert.deepEqual(await storage.load('session', 'bad'), { n: 2 });
  });

  testDamage('does not take a damaged value for none', async (storage, damage) => {
    await storage.save('session', 'bad', { n: 1 });
    await damage('session', 'bad');
    await assert.rejects(storage.save('session', 'bad', { n: 2 }, { onlyNew: true }), {
      code: 'document-exists',
    });
  });

  testDamage('deletes a damaged value', async (storage, damage) => {
    await storage.save('session', 'bad', { n: 1 });
    await damage('session', 'bad');
    assert.equal(await storage.delete('session', 'bad'), true);
    assert.equal(await storage.load('session', 'bad'), null);
    assert.deepEqual(await storage.list('session'), []);
  });
}

const MANY = 50;
const NUMBERS: readonly number[] = Array.from({ length: MANY }, (_, n) => n);

export function concurrencyRules({ test, testTwo }: StorageTests): void {
  test('loses nothing of many saves at once', async (storage) => {
    await Promise.all(NUMBERS.map((n) => storage.save('session', `key-${n}`, { n })));
    const loaded = await Promise.all(NUMBERS.map((n) => storage.load('session', `key-${n}`)));
    assert.deepEqual(
      loaded,
      NUMBERS.map((n) => ({ n })),
    );
    assert.equal((await storage.list('session')).length, MANY);
  });

  test('lets the last of many saves to one key stand, in their order', async (storage) => {
    await Promise.all(NUMBERS.map((n) => storage.save('session', 'key', { n })));
    assert.deepEqual(await storage.load('session', 'key'), { n: MANY - 1 });
  });

  test('lets one of many have a key that is to be new', async (storage) => {
    const winners = await whoMade(NUMBERS.map((n) => [storage, n]));
    assert.equal(winners.length, 1);
    assert.deepEqual(await storage.load('session', 'key'), { n: winners[0] });
  });

  test('says once that something was deleted', async (storage) => {
    await storage.save('session', 'key', { n: 1 });
    const deleted = await Promise.all(NUMBERS.map(() => storage.delete('session', 'key')));
    assert.equal(deleted.filter(Boolean).length, 1);
  });

  test('shows readers whole values while they are replaced', async (storage) => {
    await storage.save('session', 'key', wholeOf(0));
    const saving = NUMBERS.map((n) => storage.save('session', 'key', wholeOf(n)));
    for (let left = saving.length, done = false; left > 0 && !done; left -= 1) {
      const seen = (await storage.load('session', 'key')) as { n: number };
      assert.deepEqual(seen, wholeOf(seen.n));
      done = await Promise.race([Promise.all(saving).then(() => true), turn()]);
    }
    await Promise.all(saving);
  });

  testTwo('loses nothing of two that save at once', async (storage, other) => {
    const both = NUMBERS.map((n) => (n % 2 === 0 ? storage : other));
    await Promise.all(both.map((one, n) => one.save('session', `key-${n}`, { n })));
    assert.equal((await storage.list('session')).length, MANY);
    for (const n of NUMBERS) assert.deepEqual(await other.load('session', `key-${n}`), { n });
  });

  testTwo('lets one of two have a key that is to be new', async (storage, other) => {
    const winners = await whoMade(NUMBERS.map((n) => [n % 2 === 0 ? storage : other, n]));
    assert.equal(winners.length, 1);
    assert.deepEqual(await storage.load('session', 'key'), { n: winners[0] });
  });
}

async function whoMade(tries: readonly (readonly [BaseStorage, number])[]): Promise<number[]> {
  const outcomes = await Promise.allSettled(
    tries.map(async ([storage, n]) => {
      await storage.save('session', 'key', { n }, { onlyNew: true });
      return n;
    }),
  );
  return outcomes.flatMap((outcome) => {
    if (outcome.status === 'fulfilled') return [outcome.value];
    assert.equal((outcome.reason as { code?: string }).code, 'document-exists');
    return [];
  });
}

function wholeOf(n: number): { n: number; text: string } {
  return { n, text: `${n} `.repeat(2_000) };
}

function turn(): Promise<false> {
  return new Promise((resolve) => setImmediate(() => resolve(false)));
}
