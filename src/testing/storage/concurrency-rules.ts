import assert from 'node:assert/strict';
import type { BaseStorage } from '../../store/documents/base-storage.ts';
import type { StorageTests } from '../storage-suite.ts';

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
