import { Ajv2020 } from 'ajv/dist/2020.js';
import { array, assert, constantFrom, jsonValue, oneof, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  AMOUNT,
  accepts,
  anyOf,
  BOOLEAN,
  COUNT,
  check,
  checkId,
  described,
  exact,
  ID,
  integer,
  type Kind,
  listOf,
  matching,
  nullable,
  object,
  oneOf,
  optional,
  problemWith,
  recordOf,
  TEXT,
  tagged,
  where,
} from './check.ts';
import { STATE } from './state.ts';

const LINE = exact({ path: TEXT, size: COUNT, kind: oneOf('file', 'link'), note: optional(TEXT) });
const LINES = object({ lines: listOf(LINE), by: recordOf(AMOUNT), end: nullable(LINE) });

describe('a problem', () => {
  it.each([
    [LINES, 5, 'plan must be an object'],
    [LINES, { lines: {} }, 'plan.lines must be a list'],
    [LINES, { lines: [{ path: 1 }] }, 'plan.lines[0].path must be a text'],
    [LINES, { lines: [{ path: '', q: 1 }] }, 'plan.lines[0] has an unknown field "q"'],
    [LINES, { lines: [], by: { 'a b': '' } }, 'plan.by["a b"] must be a number, not below 0'],
    [LINES, { lines: [], by: {}, end: 1 }, 'plan.end must be an object, or null'],
    [LINES, { lines: [], by: {}, end: {} }, 'plan.end.path must be a text'],
    [LINE, { path: '', size: -1 }, 'plan.size must be a whole number, not below 0'],
    [LINE, { path: '', size: 0, kind: 'x' }, 'plan.kind must be one of "file", "link"'],
    [LINE, { path: '', size: 0, kind: 'file', note: null }, 'plan.note must be a text'],
    [anyOf(TEXT, COUNT), null, 'plan must be a text, or a whole number, not below 0'],
    [where(TEXT, 'a color', (text) => text === 'red'), 'blue', 'plan must be a color'],
    [integer(1, 3), 4, 'plan must be a whole number from 1 to 3'],
    [STATE, { kind: 'git' }, 'plan.kind must be one of "absent", "unknown", "captured"'],
  ])('names the field and what it must be', (kind, value, problem) => {
    expect(problemWith(kind, 'plan', value)).toBe(problem);
  });

  it('is thrown as argument-invalid', () => {
    const error = { code: 'argument-invalid', message: 'limit must be true or false' };
    expect(() => check(BOOLEAN, 'limit', 'yes')).toThrow(expect.objectContaining(error));
  });
});

describe('an object', () => {
  it('may leave out optional fields, and may have others unless it is exact', () => {
    const line = { path: 'a', size: 1, kind: 'file' };
    expect(accepts(LINE, line)).toBe(true);
    expect(accepts(LINE, { ...line, note: undefined })).toBe(true);
    expect(accepts(LINE, { ...line, more: 1 })).toBe(false);
    expect(accepts(object({ path: TEXT }), line)).toBe(true);
  });

  it('that is exact refuses a field by the name of __proto__', () => {
    const text = '{"__proto__": {"path": "a"}, "size": 1, "kind": "file"}';
    expect(problemWith(LINE, 'line', JSON.parse(text))).toBe(
      'line has an unknown field "__proto__"',
    );
  });
});

describe('an id', () => {
  it.each(['', 'x'.repeat(1025), 'a\0b', '\ud800', 5, null])(
    'is not number %# of these',
    (value) => {
      expect(() => checkId('id', value)).toThrow(
        'id must be a text of 1 to 1024 characters, without NUL and broken Unicode',
      );
    },
  );

  it('is any other text', () => {
    expect(checkId('id', 'söme id')).toBe('söme id');
  });
});

describe('the JSON schema of a kind', () => {
  const kinds: Record<string, Kind<unknown>> = {
    LINE,
    LINES,
    STATE_KINDS: tagged('kind', {
      a: exact({ kind: oneOf('a') }),
      b: exact({ kind: oneOf('b'), n: nullable(oneOf('x', 'y')) }),
    }),
    nullables: exact({
      list: nullable(listOf(TEXT)),
      word: nullable(oneOf('x')),
      id: nullable(ID),
    }),
    union: anyOf(TEXT, COUNT, listOf(described('said', matching(/^[0-7]{3}$/, 'a mode')))),
  };

  // Values that come close: what a field can be, and what it cannot.
  const leaf = oneof(
    constantFrom<unknown>('', 'x', 'y', 'a', 'b', 'file', '644', 0, 1, -1, 1.5, true, null, [], {}),
    // Beyond 2 ** 53 a schema calls a number whole, and the check does not.
    jsonValue({ maxDepth: 1 }).filter((value) => !/\d{16}|e\+/.test(JSON.stringify(value))),
  );
  const fields = {
    path: leaf,
    size: leaf,
    kind: leaf,
    note: leaf,
    n: leaf,
    list: leaf,
    word: leaf,
    id: leaf,
  };
  const line = record(fields, { requiredKeys: [] });
  const lines = record({ lines: array(line), by: leaf, end: oneof(line, leaf) });

  it.each(Object.entries(kinds))('of %s accepts what the check accepts', (_name, kind) => {
    const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(kind.schema());
    assert(
      property(oneof(leaf, line, lines), (value) => {
        expect(validate(value), JSON.stringify(value)).toBe(accepts(kind, value));
      }),
      { numRuns: 500 },
    );
  });

  it('carries descriptions, names what is required and what else may be there', () => {
    expect(LINE.schema()).toEqual({
      type: 'object',
      required: ['path', 'size', 'kind'],
      additionalProperties: false,
      properties: {
        path: { type: 'string' },
        size: { type: 'integer', minimum: 0 },
        kind: { enum: ['file', 'link'] },
        note: { type: 'string' },
      },
    });
    expect(described('How many.', nullable(COUNT)).schema()).toEqual({
      type: ['integer', 'null'],
      minimum: 0,
      description: 'How many.',
    });
  });
});
