import { SavepointError } from './errors.ts';

/**
 * Describes one kind of value that comes from outside: a request, a setting, a row of an export, the JSON
 * of another program. It says how such a value is checked and how JSON Schema describes it. A check never
 * changes a value.
 */
export interface Kind<T> {
  /** Completes the sentence "NAME must be …". */
  readonly expected: string;
  /** The first thing that is wrong with a value, or null. */
  mismatch(value: unknown): Mismatch | null;
  schema(): JsonSchema;
  /** Whether an object may leave out a field of this kind. */
  readonly isOptional: boolean;
  /** Never set: it carries the type of the values. */
  readonly '~type'?: TypeMark<T>;
}

export interface OptionalKind<T> extends Kind<T> {
  readonly isOptional: true;
}

/** Objects, which another description can build on. */
export interface ObjectKind<T> extends Kind<T> {
  readonly fields: Fields;
}

export interface Mismatch {
  /** The place inside the value, such as ".lines[3].mode"; empty for the value itself. */
  readonly place: string;
  readonly problem: string;
}

export type JsonSchema = Readonly<Record<string, unknown>>;

/** `keys` makes a description that lacks an optional field of its type an error of the compiler. */
interface TypeMark<T> {
  readonly value: T;
  readonly keys: { readonly [Key in keyof T]-?: true } | null | undefined;
}

export type TypeOf<K> = K extends { readonly '~type'?: TypeMark<infer T> } ? T : never;

type Fields = Readonly<Record<string, Kind<unknown>>>;
type OptionalKeys<F> = {
  [Key in keyof F]: F[Key] extends OptionalKind<unknown> ? Key : never;
}[keyof F];
type ObjectOf<F> = Flat<
  { readonly [Key in Exclude<keyof F, OptionalKeys<F>>]: TypeOf<F[Key]> } & {
    readonly [Key in OptionalKeys<F>]?: TypeOf<F[Key]>;
  }
>;
type Flat<T> = { [Key in keyof T]: T[Key] };

/** Throws `argument-invalid`, which says what is wrong and where, for a value of another kind. */
export function check<T>(kind: Kind<T>, name: string, value: unknown): asserts value is T {
  const problem = problemWith(kind, name, value);
  if (problem !== null) throw new SavepointError('argument-invalid', problem);
}

/** What is wrong with a value, in words; null where it is of the kind. For callers with errors of their own. */
export function problemWith(kind: Kind<unknown>, name: string, value: unknown): string | null {
  const found = kind.mismatch(value);
  return found === null ? null : `${name}${found.place} ${found.problem}`;
}

export function accepts<T>(kind: Kind<T>, value: unknown): value is T {
  return kind.mismatch(value) === null;
}

export const TEXT: Kind<string> = simple('a text', { type: 'string' }, isText);

export const BOOLEAN: Kind<boolean> = simple(
  'true or false',
  { type: 'boolean' },
  (value) => typeof value === 'boolean',
);

/** A size, a number of days, a place in the timeline. */
export const AMOUNT: Kind<number> = simple(
  'a number, not below 0',
  { type: 'number', minimum: 0 },
  (value) => typeof value === 'number' && value >= 0,
);

export const COUNT: Kind<number> = integer(0);

export const BINARY: Kind<Uint8Array> = simple('bytes', {}, (value) => value instanceof Uint8Array);

/** How long a description can be. */
export const MAX_TEXT = 100_000;
const MAX_ID = 1_024;

/** An id that a caller made up: some text, of bearable length, that can be stored and found again. */
export const ID: Kind<string> = storableText(1, MAX_ID);

/** A checked id; throws `argument-invalid`. */
export function checkId(name: string, value: unknown): string {
  check(ID, name, value);
  return value;
}

/** Free text from outside, such as a description: shortened rather than refused. */
export function clipText(value: string): string {
  return value.toWellFormed().replaceAll('\0', '\ufffd').slice(0, MAX_TEXT);
}

export function integer(least: number, most: number = Number.MAX_SAFE_INTEGER): Kind<number> {
  const isOpen = most === Number.MAX_SAFE_INTEGER;
  return simple(
    isOpen ? `a whole number, not below ${least}` : `a whole number from ${least} to ${most}`,
    { type: 'integer', minimum: least, ...(isOpen ? {} : { maximum: most }) },
    (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
  );
}

/** Text that comes back from a store as it went in. */
export function storableText(least: number, most: number): Kind<string> {
  return simple(
    `a text of ${least} to ${most} characters, without NUL and broken Unicode`,
    { type: 'string', minLength: least, maxLength: most },
    (value) =>
      isText(value) &&
      value.length >= least &&
      value.length <= most &&
      !value.includes('\0') &&
      value.isWellFormed(),
  );
}

export function matching<T extends string>(pattern: RegExp, expected: string): Kind<T> {
  const schema = { type: 'string', pattern: pattern.source };
  return simple(expected, schema, (value) => isText(value) && pattern.test(value));
}

export function oneOf<const T extends string | number | boolean | null>(
  ...values: readonly T[]
): Kind<T> {
  const words = values.map((value) => (isText(value) ? `"${value}"` : String(value)));
  const [only] = values;
  return simple(
    words.length === 1 ? `${words[0]}` : `one of ${words.join(', ')}`,
    values.length === 1 ? { const: only } : { enum: values },
    (value) => (values as readonly unknown[]).includes(value),
  );
}

/** A value that the types of the caller vouch for, such as a function. */
export function unchecked<T>(): Kind<T> {
  return simple('anything', {}, () => true);
}

/** A kind whose values have a narrower type than a check can tell, such as a branded text. */
export function branded<T>(kind: Kind<unknown>): Kind<T> {
  return kind as Kind<T>;
}

export function optional<T>(kind: Kind<T>): OptionalKind<T> {
  return {
    expected: kind.expected,
    mismatch: (value) => (value === undefined ? null : kind.mismatch(value)),
    schema: kind.schema,
    isOptional: true,
  };
}

export function nullable<T>(kind: Kind<T>): Kind<T | null> {
  return {
    expected: `${kind.expected}, or null`,
    mismatch: (value) => (value === null ? null : orNull(kind.mismatch(value))),
    schema: () => schemaOrNull(kind.schema()),
    isOptional: false,
  };
}

export function listOf<T>(kind: Kind<T>): Kind<readonly T[]> {
  return {
    expected: 'a list',
    mismatch: (value) => {
      if (!Array.isArray(value)) return mustBe('a list');
      for (let at = 0; at < value.length; at += 1) {
        const found = kind.mismatch(value[at]);
        if (found !== null) return inside(`[${at}]`, found);
      }
      return null;
    },
    schema: () => ({ type: 'array', items: kind.schema() }),
    isOptional: false,
  };
}

/** An object with any names, whose values are all of one kind. */
export function recordOf<T>(kind: Kind<T>): Kind<Readonly<Record<string, T>>> {
  return {
    expected: 'an object',
    mismatch: (value) => {
      if (!isObject(value)) return mustBe('an object');
      for (const [key, entry] of Object.entries(value)) {
        const found = kind.mismatch(entry);
        if (found !== null) return inside(`[${JSON.stringify(shortened(key))}]`, found);
      }
      return null;
    },
    schema: () => ({ type: 'object', additionalProperties: kind.schema() }),
    isOptional: false,
  };
}

/** An object that has at least these fields. Others are left alone. */
export function object<const F extends Fields>(fields: F): ObjectKind<ObjectOf<F>> {
  const entries = Object.entries(fields);
  return {
    fields,
    expected: 'an object',
    mismatch: (value) => {
      if (!isObject(value)) return mustBe('an object');
      for (const [key, kind] of entries) {
        const found = kind.mismatch(value[key]);
        if (found !== null) return inside(`.${key}`, found);
      }
      return null;
    },
    schema: () => objectSchema(entries),
    isOptional: false,
  };
}

/** An object that has these fields and no others: what we do not know we do not guess at. */
export function exact<const F extends Fields>(fields: F): ObjectKind<ObjectOf<F>> {
  const known = object(fields);
  return {
    fields,
    expected: known.expected,
    mismatch: (value) => {
      const strange = isObject(value)
        ? Object.keys(value).find((key) => !Object.hasOwn(fields, key))
        : undefined;
      return strange === undefined
        ? known.mismatch(value)
        : { place: '', problem: `has an unknown field "${shortened(strange)}"` };
    },
    schema: () => ({ ...known.schema(), additionalProperties: false }),
    isOptional: false,
  };
}

/** Exactly the fields of another description, and more. */
export function extended<T, const F extends Fields>(
  { fields }: ObjectKind<T>,
  more: F,
): ObjectKind<T & ObjectOf<F>> {
  return exact({ ...fields, ...more }) as ObjectKind<T & ObjectOf<F>>;
}

/** One of several kinds of objects, which the field `tag` tells apart. */
export function tagged<const K extends Readonly<Record<string, Kind<unknown>>>>(
  tag: string,
  kinds: K,
): Kind<TypeOf<K[keyof K]>> {
  const tags = oneOf(...Object.keys(kinds));
  return {
    expected: 'an object',
    mismatch: (value) => {
      if (!isObject(value)) return mustBe('an object');
      const found = tags.mismatch(value[tag]);
      if (found !== null) return inside(`.${tag}`, found);
      return kinds[String(value[tag])]?.mismatch(value) ?? null;
    },
    schema: () => ({ oneOf: Object.values(kinds).map((kind) => kind.schema()) }),
    isOptional: false,
  };
}

/** A value of any of these kinds. */
export function anyOf<const K extends readonly Kind<unknown>[]>(
  ...kinds: K
): Kind<TypeOf<K[number]>> {
  const expected = [...new Set(kinds.map((kind) => kind.expected))].join(', or ');
  return simple(
    expected,
    {},
    (value) => kinds.some((kind) => accepts(kind, value)),
    () => ({
      anyOf: kinds.map((kind) => kind.schema()),
    }),
  );
}

/** A kind with one more condition, which `expected` names. */
export function where<T>(kind: Kind<T>, expected: string, holds: (value: T) => boolean): Kind<T> {
  return {
    expected,
    mismatch: (value) => {
      const found = kind.mismatch(value);
      if (found !== null) return found.place === '' ? mustBe(expected) : found;
      return holds(value as T) ? null : mustBe(expected);
    },
    schema: kind.schema,
    isOptional: false,
  };
}

/** A kind whose published schema carries a sentence for its readers. */
export function described<K extends Kind<unknown>>(description: string, kind: K): K {
  return { ...kind, schema: () => ({ ...kind.schema(), description }) };
}

function simple<T>(
  expected: string,
  schema: JsonSchema,
  holds: (value: unknown) => boolean,
  schemaOf: () => JsonSchema = () => schema,
): Kind<T> {
  return {
    expected,
    mismatch: (value) => (holds(value) ? null : mustBe(expected)),
    schema: schemaOf,
    isOptional: false,
  };
}

function mustBe(expected: string): Mismatch {
  return { place: '', problem: `must be ${expected}` };
}

function inside(place: string, found: Mismatch): Mismatch {
  return { place: `${place}${found.place}`, problem: found.problem };
}

function orNull(found: Mismatch | null): Mismatch | null {
  const isOfIt = found !== null && found.place === '' && found.problem.startsWith('must be ');
  return isOfIt ? { place: '', problem: `${found.problem}, or null` } : found;
}

function schemaOrNull(schema: JsonSchema): JsonSchema {
  const { description, ...rest } = schema;
  const said = description === undefined ? {} : { description };
  return typeof rest.type === 'string'
    ? { ...rest, type: [rest.type, 'null'], ...said }
    : { anyOf: [rest, { type: 'null' }], ...said };
}

function objectSchema(entries: readonly (readonly [string, Kind<unknown>])[]): JsonSchema {
  const required = entries.flatMap(([key, kind]) => (kind.isOptional ? [] : [key]));
  return {
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(entries.map(([key, kind]) => [key, kind.schema()])),
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shortened(key: string): string {
  return key.slice(0, 40);
}
