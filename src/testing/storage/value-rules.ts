import assert from 'node:assert/strict';
import type { BaseStorage } from '../../store/documents/base-storage.ts';
import { sameValue } from '../same-value.ts';
import { ODD_TEXTS } from '../store/names-rules.ts';
import type { Tests } from '../suite.ts';

/** Names that have hurt somebody as SQL, as a pattern, as a key of an object, or as a path. */
const ODD_NAMES: readonly string[] = [
  ...ODD_TEXTS,
  '',
  '.',
  '..',
  '../../escaped',
  '/etc/passwd',
  'a/b',
  'a\\b',
  'a.json',
  '.json',
  '.lock',
  '.hidden',
  'a.',
  '~',
  '~root',
  '%2e%2e',
  '%',
  '^a',
  'NUL \0 other',
  '7',
  'con',
  '检查点',
  // One letter in two ways, and in two cases.
  '\u00e9',
  'e\u0301',
  'É',
  'exec-1',
  'Exec-1',
  'EXEC-1',
  'ß',
  'SS',
  'ss',
  '\u202e',
  '\ufeffmark',
  '\ufffd',
  '\ud800',
  '\udfff',
  'x\ud83d',
  'k'.repeat(255),
  'k'.repeat(400),
  `${'k'.repeat(400)}2`,
  'K'.repeat(400),
  '../'.repeat(150),
  '检'.repeat(400),
];

export function nameRules({ test, testTwo }: Tests<BaseStorage>): void {
  test('keeps any text as a key, and all of them apart', async (storage) => {
    for (const name of ODD_NAMES) await storage.save('session', name, { name });
    assert.deepEqual((await storage.list('session')).sort(), [...ODD_NAMES].sort());
    for (const name of ODD_NAMES) {
      assert.deepEqual(await storage.load('session', name), { name }, JSON.stringify(name));
    }
    for (const [at, name] of ODD_NAMES.entries()) {
      assert.equal(await storage.delete('session', name), true, JSON.stringify(name));
      assert.equal((await storage.list('session')).length, ODD_NAMES.length - at - 1);
    }
  });

  test('keeps any text as a category, and all of them apart', async (storage) => {
    for (const name of ODD_NAMES) await storage.save(name, 'key', { name });
    for (const name of ODD_NAMES) {
      assert.deepEqual(await storage.load(name, 'key'), { name }, JSON.stringify(name));
      assert.deepEqual(await storage.list(name), ['key'], JSON.stringify(name));
    }
  });

  test('takes no name for the beginning of another', async (storage) => {
    await storage.save('checkpoint', 'ckpt-exec-10-1', { n: 10 });
    assert.equal(await storage.load('checkpoint', 'ckpt-exec-1'), null);
    assert.equal(await storage.delete('checkpoint', 'ckpt-exec-1'), false);
    assert.deepEqual(await storage.list('check'), []);
    assert.deepEqual(await storage.list('checkpoint'), ['ckpt-exec-10-1']);
  });

  test('does not mix up a category and a key that read the same together', async (storage) => {
    await storage.save('a', 'b/c', { n: 1 });
    await storage.save('a/b', 'c', { n: 2 });
    assert.deepEqual(await storage.load('a', 'b/c'), { n: 1 });
    assert.deepEqual(await storage.load('a/b', 'c'), { n: 2 });
  });

  test('refuses what is no text', async (storage) => {
    const wrong = 7 as unknown as string;
    const refusal = { code: 'argument-invalid' };
    await assert.rejects(storage.save(wrong, 'key', {}), refusal);
    await assert.rejects(storage.save('category', wrong, {}), refusal);
    await assert.rejects(storage.load('category', wrong), refusal);
    await assert.rejects(storage.load(wrong, 'key'), refusal);
    await assert.rejects(storage.delete('category', wrong), refusal);
    await assert.rejects(storage.list(wrong), refusal);
  });

  testTwo('gives the true keys back to others', async (storage, other) => {
    for (const name of ODD_NAMES) await storage.save('session', name, { name });
    assert.deepEqual((await other.list('session')).sort(), [...ODD_NAMES].sort());
  });
}

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

export function valueRules({ test }: Tests<BaseStorage>): void {
  for (const [what, value] of EXACT) {
    test(`gives ${what} back exactly`, async (storage) => {
      await storage.save('session', 'key', value);
      const loaded = await storage.load('session', 'key');
      assert.deepStrictEqual(loaded, value);
      // Also compares the order of keys, and which values are one and the same object.
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
