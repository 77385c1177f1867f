import { types } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryValue } from '../../../test/property/arbitrary-value.ts';
import { propertyRuns } from '../../../test/property/runs.ts';
import { sameValue } from '../../testing/same-value.ts';
import { isSavepointError } from '../errors.ts';
import { jsonToValue, treeToValue } from './from-tree.ts';
import { valueToJson, valueToTree } from './to-tree.ts';
import type { Json } from './tree.ts';

const { isProxy } = types;

function throughText(value: unknown): unknown {
  return jsonToValue(JSON.parse(JSON.stringify(valueToJson(value))) as Json);
}

function throughTree(value: unknown): unknown {
  return treeToValue(valueToTree(value, { isProxy }));
}

function refusal(value: unknown, write: (value: unknown) => unknown): string | undefined {
  try {
    write(value);
  } catch (error) {
    if (isSavepointError(error, 'value-unsupported')) return error.path;
    throw error;
  }
  throw new Error('it was taken');
}

describe('a value', () => {
  it('comes back exactly, or is refused with its path', () => {
    fc.assert(
      fc.property(arbitraryValue(), (value) => {
        expect(sameValue(throughText(value), value)).toBe(true);
        expect(sameValue(treeToValue(valueToTree(value)), value)).toBe(true);
        expect(sameValue(throughTree(value), value)).toBe(true);
      }),
      propertyRuns(1),
    );
  });

  it('is the same tree again when nothing changed, and shares what did not', () => {
    fc.assert(
      fc.property(arbitraryValue(), arbitraryValue(), (one, other) => {
        const first = valueToTree({ one, other: 1 });
        const second = valueToTree({ one, other }, { previous: first });
        expect(sameValue(treeToValue(second), { one, other })).toBe(true);
      }),
      propertyRuns(1),
    );
    const messages = [{ role: 'user', bytes: Buffer.from('a') }, { at: new Date(1) }];
    const before = valueToTree({ messages }) as { messages: unknown[] };
    expect(valueToTree({ messages }, { previous: before as never })).toBe(before);
    const grown = { messages: [{ first: true }, ...messages] };
    const after = valueToTree(grown, { previous: before as never }) as { messages: unknown[] };
    expect(after.messages[1]).toBe(before.messages[0]);
    expect(after.messages[2]).toBe(before.messages[1]);
  });

  it('is not taken for an earlier one that only looks like it', () => {
    const alike: unknown[] = [
      { a: -0 },
      { a: 0 },
      { a: { $number: '-0' } },
      { a: { $undefined: true } },
      { a: undefined },
      { a: ['b'] },
      { a: { 0: 'b' } },
      { a: { 0: 'b', 1: 'c' } },
      { a: { 1: 'c', 0: 'b' } },
      { a: { x: 'b', y: 'c' } },
      { a: { y: 'c', x: 'b' } },
      { a: { x: 'b' } },
      { a: Object.assign(Object.create(null), { x: 'b' }) },
      { a: new Uint8Array([1]) },
      { a: { 0: 1 } },
      { a: { x: null } },
      { a: { ['__proto__']: 'b' } },
    ];
    for (const one of alike) {
      for (const other of alike) {
        const tree = valueToTree(other, { previous: valueToTree(one) });
        expect(sameValue(treeToValue(tree), other)).toBe(true);
      }
    }
    const hidden = Object.defineProperty({ x: 'b' }, 'x', { enumerable: false });
    const read = Object.defineProperty({}, 'x', { get: () => 'b', enumerable: true });
    const marked = { x: 'b', [Symbol('mark')]: 1 };
    for (const value of [hidden, read, marked]) {
      expect(() => valueToTree(value, { previous: valueToTree({ x: 'b' }) })).toThrow();
    }
  });

  it('is what stands behind a proxy, for lists as for objects', () => {
    const wrapped = <T extends object>(value: T): T =>
      new Proxy(value, {
        get: (target, key) => {
          const found: unknown = Reflect.get(target, key);
          return typeof found === 'object' && found !== null ? wrapped(found) : found;
        },
      });
    const shared = { deep: 1 };
    const list: unknown[] = [shared, { shared }];
    list.push(list);
    const lying = new Proxy([1, 2], { get: (target, key) => (key === '0' ? 99 : target[1]) });
    for (const through of [throughText, throughTree]) {
      const back = through(wrapped(list)) as [object, { shared: object }, unknown[]];
      expect(back[1].shared).toBe(back[0]);
      // The list itself is another object than what stands before it.
      expect(back[2][2]).toBe(back[2]);
      expect(through(lying)).toEqual([1, 2]);
    }
  });

  it('keeps one object that is in two places one object, and cycles closed', () => {
    const shared = { deep: [new Map()] };
    const state: Record<string, unknown> = {
      a: shared,
      b: [shared.deep],
      c: new Map([[shared, 1]]),
    };
    state.self = state;
    (shared.deep[0] as Map<unknown, unknown>).set(state, shared);
    const back = throughText(state) as typeof state;
    expect(sameValue(back, state)).toBe(true);
    expect(back.self).toBe(back);
  });

  it('keeps own keys that look like ours, and __proto__', () => {
    const state = JSON.parse('{"__proto__":{"x":1},"$Date":"no","$$ref":[],"$":{"$Map":[]}}');
    expect(sameValue(throughText(state), state)).toBe(true);
    expect(sameValue(throughText({ $Date: 'no' }), { $Date: 'no' })).toBe(true);
    const later = valueToTree(JSON.parse('{"__proto__":{}}'), { previous: { a: 1 } });
    expect(Object.keys(treeToValue(later) as object)).toEqual(['__proto__']);
  });

  it('keeps errors of the language with all their fields', () => {
    const cause = new RangeError('below');
    const error = Object.assign(new TypeError('above', { cause }), { code: 'ENOENT' });
    const group = new AggregateError([error, cause], 'both');
    const back = throughText(group) as AggregateError;
    expect(sameValue(back, group)).toBe(true);
    expect(back.errors[0]).toMatchObject({ code: 'ENOENT', message: 'above', stack: error.stack });
    expect(back.errors[0].cause).toBe(back.errors[1]);
  });

  it('has bytes of a memory of its own', () => {
    const pooled = Buffer.from('pooled');
    const back = throughText([
      pooled,
      new Float64Array([1.5, -0]),
      new DataView(new ArrayBuffer(3)),
    ]);
    expect(
      sameValue(back, [pooled, new Float64Array([1.5, -0]), new DataView(new ArrayBuffer(3))]),
    ).toBe(true);
    const tree = valueToTree(pooled);
    pooled[0] = 0;
    expect(String(treeToValue(tree))).toBe('pooled');
  });
});

describe('a refusal names the place', () => {
  const symbolKey = { [Symbol('s')]: 1 };
  const extra = Object.assign([1], { extra: 1 });
  const deep: unknown[] = [];
  let at = deep;
  for (let depth = 0; depth < 5_000; depth += 1) at = at[0] = [] as unknown[];
  const throwing = new Proxy(
    {},
    {
      ownKeys: () => {
        throw new Error('no');
      },
    },
  );
  class Point {
    x = 1;
  }
  const refused: [string, unknown, string][] = [
    ['a function', { messages: [1, 2, 3, { callback: () => 1 }] }, 'state.messages[3].callback'],
    ['a symbol', { 'a b': Symbol('s') }, 'state["a b"]'],
    ['an instance of a class', [new Point()], 'state[0]'],
    ['a subclass of a list', { a: new (class extends Array {})() }, 'state.a'],
    ['an error of a class of its own', { a: new (class Mine extends Error {})('x') }, 'state.a'],
    [
      'a getter',
      {
        a: {
          get b() {
            return 1;
          },
        },
      },
      'state.a.b',
    ],
    [
      'a getter in a list',
      { a: Object.defineProperty([1], '0', { get: () => 1, enumerable: true }) },
      'state.a[0]',
    ],
    ['a hidden field', Object.defineProperty({}, 'hid', { value: 1 }), 'state.hid'],
    [
      'a hidden entry',
      [0, Object.defineProperty([1, 2], '1', { enumerable: false })],
      'state[1][1]',
    ],
    [
      'a setter in a list',
      Object.defineProperty([1, 2], '1', { set: () => undefined, enumerable: true }),
      'state[1]',
    ],
    ['a symbol as key', { symbolKey }, 'state.symbolKey'],
    ['a list with a key of its own', { extra }, 'state.extra'],
    ['a date with a key of its own', { a: Object.assign(new Date(), { b: 1 }) }, 'state.a'],
    ['bytes with a key of their own', { a: Object.assign(new Uint8Array(2), { b: 1 }) }, 'state.a'],
    ['a promise', { a: Promise.resolve() }, 'state.a'],
    ['a weak map', { a: new WeakMap() }, 'state.a'],
    ['a boxed number', { a: Object(1) }, 'state.a'],
    ['something in a Map', { a: new Map([[1, () => 1]]) }, 'state.a[1]'],
    ['a proxy that throws', { a: [throwing] }, 'state.a[0]'],
    ['what pretends to be a date', { a: Object.create(Date.prototype) }, 'state.a'],
    ['what pretends to be a Map', { a: Object.create(Map.prototype) }, 'state.a'],
    ['what pretends to be an error', { a: Object.create(Error.prototype) }, 'state.a'],
    ['shared memory', { a: new Uint8Array(new SharedArrayBuffer(2)) }, 'state.a'],
    ['memory whose length can change', { a: new ArrayBuffer(1, { maxByteLength: 2 }) }, 'state.a'],
  ];
  it.each(refused)('of %s', (_, value, path) => {
    expect(refusal(value, (one) => valueToJson(one, 'state'))).toBe(path);
    expect(refusal(value, (one) => valueToTree(one, { name: 'state', isProxy }))).toBe(path);
  });

  it('of what is nested without an end', () => {
    const path = refusal(deep, (one) => valueToJson(one, 'state'));
    expect(path).toMatch(/^state\[0\]\[0\]/);
  });
});

it('refuses what nobody wrote', () => {
  const damaged: Json[] = [
    { $Date: 5 },
    { $Date: 'tomorrow' },
    { $nothing: 1 },
    { $ref: ['a'] },
    { $ref: [0] },
    { $number: '1' },
    { $BigInt: '1.5' },
    { $Buffer: 'not base64!' },
    { $Float64Array: 'AAAA' },
    { $Map: [1] },
    { $Map: [[1]] },
    { $Set: {} },
    { $Error: { type: 'Function', fields: {}, shown: [] } },
    { $array: { length: 1, items: { '7': 1 } } },
    { $array: { length: -1, items: {} } },
    { $RegExp: ['(', '', 0] },
  ];
  for (const json of damaged) {
    expect(() => jsonToValue([json]), JSON.stringify(json)).toThrow(
      expect.objectContaining({ code: 'value-invalid' }),
    );
  }
});
