import assert from 'node:assert/strict';
import { sameValue } from '../same-value.ts';
import type { StorageTests } from '../storage-suite.ts';

const EXACT: readonly (readonly [string, unknown])[] = [
  ['a text', 'plain'],
  ['an empty text', ''],
  ['half a surrogate pair', { text: '\ud800 and \udfff' }],
  ['false', false],
  ['zero below zero', -0],
  ['what is not a number', { n: Number.NaN, more: [Number.POSITIVE_INFINITY, -1 / 0] }],
  ['the largest and smallest numbers', [Number.MAX_VALUE, Number.MIN_VALUE, 2 ** 53 - 1, 0.1]],
  ['a BigInt', { big: 2n ** 200n, below: -1n }],
  ['undefined', { here: undefined, list: [undefined, null] }],
  ['a Date', { at: new Date(0), never: new Date(Number.NaN) }],
  [
    'a Map with any keys',
    new Map<unknown, unknown>([
      [{ a: 1 }, new Map([[1, 'x']])],
      ['b', null],
    ]),
  ],
  ['a Set', new Set<unknown>([1, '1', new Set([null])])],
  ['bytes', { bytes: Uint8Array.of(0, 255, 128), none: new Uint8Array() }],
  ['a list with holes', Object.assign([1], { length: 4, 2: 3 })],
  ['an own key __proto__', JSON.parse('{"__proto__": {"polluted": true}}')],
  ['keys that look like tags', { $Date: '2024', $type: 1, '': 2, $$: { $ref: [] } }],
  ['an object without a prototype', Object.assign(Object.create(null), { a: 1 })],
  ['names of keys in their order', { b: 1, a: 2, 10: 3 }],
];

export function valueRules({ test }: StorageTests): void {
  for (const [what, value] of EXACT) {
    test(`gives ${what} back exactly`, async (storage) => {
      await storage.save('session', 'key', value);
      const loaded = await storage.load('session', 'key');
      assert.deepStrictEqual(loaded, value);
      // It asks for more: the order of keys, and what is one and the same object.
      assert.ok(sameValue(loaded, value));
    });
  }

  test('gives an Error back with its class, cause and fields', async (storage) => {
    const cause = new RangeError('why');
    const error = Object.assign(new TypeError('what', { cause }), { code: 'ENOENT' });
    await storage.save('session', 'key', { error });
    const loaded = (await storage.load('session', 'key')) as { error: typeof error };
    assert.ok(loaded.error instanceof TypeError);
    assert.ok(loaded.error.cause instanceof RangeError);
    assert.equal(loaded.error.stack, error.stack);
    assert.ok(sameValue(loaded, { error }));
  });

  test('refuses what would not come back, names its place, and keeps what was there', async (storage) => {
    await storage.save('session', 'key', { n: 1 });
    const values = [() => 1, Symbol('s'), new (class Own {})(), new WeakMap()];
    for (const value of values) {
      const refused = storage.save('session', 'key', { list: [1, { value }] });
      await assert.rejects(refused, { code: 'value-unsupported', path: /\.list\[1\]\.value$/ });
    }
    assert.deepEqual(await storage.load('session', 'key'), { n: 1 });
    assert.deepEqual(await storage.list('session'), ['key']);
  });

  test('gives a value back that holds itself, or refuses it', async (storage) => {
    const value: Record<string, unknown> = { n: 1 };
    value.self = value;
    try {
      await storage.save('session', 'key', value);
    } catch (error) {
      assert.equal((error as { code?: string }).code, 'value-unsupported');
      return;
    }
    const loaded = (await storage.load('session', 'key')) as typeof value;
    assert.equal(loaded.self, loaded);
    assert.equal(loaded.n, 1);
  });

  for (const nothing of [null, undefined]) {
    test(`refuses ${nothing}, which says that there is nothing`, async (storage) => {
      await assert.rejects(storage.save('session', 'key', nothing), { code: 'argument-invalid' });
      assert.deepEqual(await storage.list('session'), []);
    });
  }

  test('keeps five megabytes', async (storage) => {
    const messages = Array.from({ length: 5_000 }, (_, n) => ({ n, text: `${n} `.repeat(200) }));
    const bytes = new Uint8Array(1_000_000).map((_, at) => at * 7);
    await storage.save('conversation', 'long', { messages, bytes });
    assert.deepStrictEqual(await storage.load('conversation', 'long'), { messages, bytes });
  });
}
