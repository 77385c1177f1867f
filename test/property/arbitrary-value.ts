import fc from 'fast-check';

/** Any value that can be stored: nested, of every type, with objects that are in two places, and cycles. */
export function arbitraryValue(): fc.Arbitrary<unknown> {
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, depthIdentifier: 'value', withCrossShrink: true },
      leaf(),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.array(tie('value'), { maxLength: 3 }).map(withHoles),
      fc.dictionary(key(), tie('value'), { maxKeys: 5 }),
      fc.dictionary(key(), tie('value'), { maxKeys: 3, noNullPrototype: false }),
      fc
        .array(fc.tuple(tie('value'), tie('value')), { maxLength: 3 })
        .map((pairs) => new Map(pairs)),
      fc.array(tie('value'), { maxLength: 3 }).map((members) => new Set(members)),
      fc.tuple(fc.string(), tie('value'), tie('value')).map(anError),
      fc.array(tie('value'), { maxLength: 3 }).map(inTwoPlaces),
      fc.array(tie('value'), { maxLength: 3 }).map(inACycle),
    ),
  }));
  return value;
}

function leaf(): fc.Arbitrary<unknown> {
  return fc.oneof(
    fc.constantFrom<unknown>(null, undefined, true, false, 0, -0, Number.NaN, 1 / 0, -1 / 0),
    fc.double(),
    fc.integer(),
    fc.bigInt(),
    text(),
    fc.date({ noInvalidDate: false }),
    fc.constantFrom(/a/gi, /[/\]]\n/u).map((pattern) => new RegExp(pattern)),
    fc.uint8Array({ maxLength: 16 }).map((bytes) => Buffer.from(bytes)),
    fc.uint8Array({ maxLength: 16 }).map((bytes) => bytes.buffer.slice(0)),
    fc.oneof(
      fc.uint8Array({ maxLength: 16 }),
      fc.int16Array(),
      fc.uint8ClampedArray(),
      fc.float32Array(),
      fc.float64Array(),
      fc.bigInt64Array(),
    ),
  );
}

/** Whatever a string can hold, half of a surrogate pair too. */
function text(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
  );
}

function key(): fc.Arbitrary<string> {
  const special = [
    '__proto__',
    'constructor',
    '$Date',
    '$$',
    '$ref',
    'length',
    '0',
    '07',
    '',
    'toJSON',
  ];
  return fc.oneof(text(), fc.constantFrom(...special));
}

function withHoles(items: readonly unknown[]): unknown[] {
  const list: unknown[] = [];
  for (const [index, item] of items.entries()) list[3 * index + 1] = item;
  list.length += 2;
  return list;
}

function anError([message, cause, more]: readonly [string, unknown, unknown]): Error {
  return Object.assign(new TypeError(message, { cause }), { code: 'E', more });
}

function inTwoPlaces(items: unknown[]): unknown {
  return { first: items, again: [items], inside: new Map([[items, items]]) };
}

function inACycle(items: unknown[]): unknown {
  const map = new Map<unknown, unknown>([[items, 'list']]);
  items.push(map, items);
  map.set('self', map);
  return items;
}
