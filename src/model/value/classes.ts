import { type Place, unsupported } from './tree.ts';

// Classes of the language whose objects come back as what they were: views over bytes, and errors.

type View = Exclude<NodeJS.ArrayBufferView, DataView> | DataView;

interface ViewClass {
  readonly prototype: object;
  readonly width: number;
  readonly make: (buffer: ArrayBuffer) => object;
}

function viewClass(
  type: { readonly prototype: object; new (buffer: ArrayBuffer): object },
  width: number,
): ViewClass {
  return { prototype: type.prototype, width, make: (buffer) => new type(buffer) };
}

/** Everything that is bytes, by the name of its tag. A Buffer comes back as a Buffer. */
const VIEWS: Readonly<Record<string, ViewClass>> = {
  $Buffer: { prototype: Buffer.prototype, width: 1, make: (buffer) => Buffer.from(buffer) },
  $Uint8Array: viewClass(Uint8Array, 1),
  $Uint8ClampedArray: viewClass(Uint8ClampedArray, 1),
  $Int8Array: viewClass(Int8Array, 1),
  $Uint16Array: viewClass(Uint16Array, 2),
  $Int16Array: viewClass(Int16Array, 2),
  $Uint32Array: viewClass(Uint32Array, 4),
  $Int32Array: viewClass(Int32Array, 4),
  $Float32Array: viewClass(Float32Array, 4),
  $Float64Array: viewClass(Float64Array, 8),
  $BigUint64Array: viewClass(BigUint64Array, 8),
  $BigInt64Array: viewClass(BigInt64Array, 8),
  $DataView: viewClass(DataView, 1),
  $ArrayBuffer: { prototype: ArrayBuffer.prototype, width: 1, make: (buffer) => buffer },
};

const TAGS: ReadonlyMap<object, string> = new Map(
  Object.entries(VIEWS).map(([tag, { prototype }]) => [prototype, tag]),
);

/** The tag of something that is bytes, by its prototype; null for everything else. */
export function bytesTag(prototype: object): string | null {
  return TAGS.get(prototype) ?? null;
}

/**
 * The bytes of it, not copied. A view comes back over a buffer of its own, which is all that is lost of a
 * Buffer from Node's pool; what can change its length, or is shared with other threads, is refused.
 */
export function bytesOf(value: object, place: Place): Uint8Array {
  const isView = ArrayBuffer.isView(value);
  const buffer = isView ? (value as View).buffer : value;
  if (!(buffer instanceof ArrayBuffer)) throw unsupported(place, 'its memory is shared');
  // Throws for something that merely inherits from ArrayBuffer.
  const size = buffer.byteLength;
  if (buffer.resizable) throw unsupported(place, 'its length can change');
  if (buffer.detached) throw unsupported(place, 'its bytes were given away');
  if (!isView) return new Uint8Array(buffer, 0, size);
  const { byteOffset, byteLength } = value as View;
  return new Uint8Array(buffer, byteOffset, byteLength);
}

// Making a name for each element takes longer than storing it.
const MAX_NAMED = 65_536;

/** Its own keys beside those of its elements. Of a very long one only symbols are looked for. */
export function extraKeys(value: object): PropertyKey[] {
  const hasElements = ArrayBuffer.isView(value) && !(value instanceof DataView);
  const length = hasElements ? (value as unknown as { length: number }).length : 0;
  if (length > MAX_NAMED) return Object.getOwnPropertySymbols(value);
  return Reflect.ownKeys(value).slice(length);
}

export function isBytesTag(tag: string): boolean {
  return Object.hasOwn(VIEWS, tag);
}

/** Null where so many bytes cannot be one. Takes the bytes over, if they have their buffer for themselves. */
export function bytesFrom(tag: string, bytes: Uint8Array): object | null {
  const view = VIEWS[tag];
  if (view === undefined || bytes.length % view.width !== 0) return null;
  return view.make(new Uint8Array(bytes).buffer);
}

/** Errors of the language itself. An error of any other class would come back as another class. */
const ERRORS: Readonly<Record<string, ErrorConstructor>> = {
  Error,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
  AggregateError: AggregateError as unknown as ErrorConstructor,
};

const ERROR_NAMES: ReadonlyMap<object, string> = new Map(
  Object.entries(ERRORS).map(([name, { prototype }]) => [prototype, name]),
);

/** The name of the class that has this prototype, or null. */
export function errorClass(prototype: object): string | null {
  return ERROR_NAMES.get(prototype) ?? null;
}

/** An error of that class without a single field; null where there is no such class. */
export function emptyError(type: string): Error | null {
  const made = Object.hasOwn(ERRORS, type) ? ERRORS[type] : undefined;
  if (made === undefined) return null;
  // The first argument of an AggregateError is a list.
  const error = type === 'AggregateError' ? new AggregateError([]) : new made();
  for (const key of Reflect.ownKeys(error)) Reflect.deleteProperty(error, key);
  return error;
}
