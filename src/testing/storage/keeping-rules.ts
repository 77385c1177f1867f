import assert from 'node:assert/strict';
import { type BaseStorage, CATEGORIES } from '../../store/documents/base-storage.ts';
import type { Rules, Tests } from '../suite.ts';

export function keepingRules({ test, testTwo }: Tests<BaseStorage>): void {
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

export type Damage = (storage: BaseStorage, category: string, key: string) => Promise<void>;

/** What holds where one of three values is damaged. */
const DAMAGED: Readonly<Record<string, (storage: BaseStorage) => Promise<void>>> = {
  'says that a value is damaged, and where it is': (storage) =>
    assert.rejects(storage.load('session', 'bad'), { code: 'document-corrupt', path: /./ }),

  'lists and loads the others, and lists the damaged one too': async (storage) => {
    assert.deepEqual((await storage.list('session')).sort(), ['a', 'bad', 'z']);
    for (const key of ['a', 'z']) assert.deepEqual(await storage.load('session', key), { key });
  },

  'replaces a damaged value': async (storage) => {
    await storage.save('session', 'bad', { n: 2 });
    assert.deepEqual(await storage.load('session', 'bad'), { n: 2 });
  },

  'does not take a damaged value for none': (storage) =>
    assert.rejects(storage.save('session', 'bad', { n: 2 }, { onlyNew: true }), {
      code: 'document-exists',
    }),

  'deletes a damaged value': async (storage) => {
    assert.equal(await storage.delete('session', 'bad'), true);
    assert.equal(await storage.load('session', 'bad'), null);
    assert.deepEqual((await storage.list('session')).sort(), ['a', 'z']);
  },
};

export function damageRules(damage: Damage): Rules<BaseStorage> {
  return ({ test }) => {
    for (const [behaviour, holds] of Object.entries(DAMAGED)) {
      test(behaviour, async (storage) => {
        for (const key of ['a', 'bad', 'z']) await storage.save('session', key, { key });
        await damage(storage, 'session', 'bad');
        await holds(storage);
      });
    }
  };
}

const MANY = 50;
const NUMBERS: readonly number[] = Array.from({ length: MANY }, (_, n) => n);

export function concurrencyRules({ test, testTwo }: Tests<BaseStorage>): void {
  test('loses nothing of many saves at once', (storage) => losesNothing(storage, storage));
  testTwo('loses nothing of two that save at once', losesNothing);
  test('lets one of many have a key that is to be new', (storage) => oneMakes(storage, storage));
  testTwo('lets one of two have a key that is to be new', oneMakes);

  test('lets the last of many acts on one key stand, in their order', async (storage) => {
    const save = (n: number): Promise<string> => storage.save('session', 'key', { n });
    await Promise.all(NUMBERS.map(save));
    assert.deepEqual(await storage.load('session', 'key'), { n: MANY - 1 });
    const acts = [save(1), storage.save('session', 'other', {}), storage.delete('session', 'key')];
    assert.equal((await Promise.all(acts)).at(-1), true);
    assert.equal(await storage.load('session', 'key'), null);
    await Promise.all([storage.delete('session', 'other'), storage.save('session', 'other', [3])]);
    assert.deepEqual(await storage.load('session', 'other'), [3]);
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
}

async function losesNothing(storage: BaseStorage, other: BaseStorage): Promise<void> {
  const both = NUMBERS.map((n) => (n % 2 === 0 ? storage : other));
  await Promise.all(both.map((one, n) => one.save('session', `key-${n}`, { n })));
  assert.equal((await storage.list('session')).length, MANY);
  for (const n of NUMBERS) assert.deepEqual(await other.load('session', `key-${n}`), { n });
}

/** Many try to make one key, and one of them does. */
async function oneMakes(storage: BaseStorage, other: BaseStorage): Promise<void> {
  const outcomes = await Promise.allSettled(
    NUMBERS.map(async (n) => {
      await (n % 2 === 0 ? storage : other).save('session', 'key', { n }, { onlyNew: true });
      return n;
    }),
  );
  const winners = outcomes.flatMap((outcome) => {
    if (outcome.status === 'fulfilled') return [outcome.value];
    assert.equal((outcome.reason as { code?: string }).code, 'document-exists');
    return [];
  });
  assert.equal(winners.length, 1);
  assert.deepEqual(await storage.load('session', 'key'), { n: winners[0] });
}

function wholeOf(n: number): { n: number; text: string } {
  return { n, text: `${n} `.repeat(2_000) };
}

function turn(): Promise<false> {
  return new Promise((resolve) => setImmediate(() => resolve(false)));
}
