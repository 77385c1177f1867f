/**
 * Whether two values are the same in everything that a value can be asked: types, prototypes, -0 and NaN,
 * holes, the order of keys, hidden fields of errors, and which of their parts are one and the same object.
 */
export function sameValue(one: unknown, other: unknown): boolean {
  return new Comparison().same(one, other);
}

class Comparison {
  /** Objects of the first value and what stands for them in the second: one for one. */
  readonly #partners = new Map<object, object>();
  readonly #taken = new Set<object>();

  same(one: unknown, other: unknown): boolean {
    if (!isObject(one) || !isObject(other)) return Object.is(one, other);
    const partner = this.#partners.get(one);
    if (partner !== undefined) return partner === other;
    if (this.#taken.has(other)) return false;
    this.#partners.set(one, other);
    this.#taken.add(other);
    return (
      Object.getPrototypeOf(one) === Object.getPrototypeOf(other) &&
      this.#sameContent(one, other) &&
      this.#sameFields(one, other)
    );
  }

  #sameFields(one: object, other: object): boolean {
    if (ArrayBuffer.isView(one)) return true;
    const [keys, otherKeys] = [Reflect.ownKeys(one), Reflect.ownKeys(other)];
    return (
      keys.length === otherKeys.length &&
      keys.every((key, at) => key === otherKeys[at] && this.#sameField(one, other, key))
    );
  }

  #sameField(one: object, other: object, key: PropertyKey): boolean {
    const isShown = (object: object) => Object.prototype.propertyIsEnumerable.call(object, key);
    const read = (object: object) => (object as Record<PropertyKey, unknown>)[key];
    return isShown(one) === isShown(other) && this.same(read(one), read(other));
  }

  /** What is not in fields. */
  #sameContent(one: object, other: object): boolean {
    if (one instanceof Map && other instanceof Map) return this.same([...one], [...other]);
    if (one instanceof Set && other instanceof Set) return this.same([...one], [...other]);
    if (one instanceof Date) return Object.is(one.getTime(), (other as Date).getTime());
    if (one instanceof RegExp) return String(one) === String(other);
    const [bytes, otherBytes] = [bytesOf(one), bytesOf(other)];
    if (bytes === null || otherBytes === null) return bytes === otherBytes;
    return Buffer.compare(bytes, otherBytes) === 0;
  }
}

function bytesOf(value: object): Uint8Array | null {
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (!ArrayBuffer.isView(value)) return null;
  return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
