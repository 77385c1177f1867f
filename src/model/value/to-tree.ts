import { isSavepointError } from '../errors.ts';
import { bytesOf, bytesTag, errorClass, extraKeys } from './classes.ts';
import { isObject, SharedObject, sameBytes, shareList, shareTag } from './share.ts';
import {
  type Json,
  type Place,
  type Segment,
  segmentsOf,
  setKey,
  type Tree,
  type TreeObject,
  unsupported,
  writtenKey,
} from './tree.ts';

/** Deeper than anybody nests data, and far from where the stack ends. */
const MAX_DEPTH = 1_000;

export interface TreeOptions {
  /** What the whole is called in errors: `state` gives `state.messages[3].callback`. */
  readonly name?: string;
  /** The tree of an earlier value: what is equal in both is the same object in both. */
  readonly previous?: Tree | undefined;
  /** `isProxy` lets the writer skip the slow path for plain arrays. */
  readonly isProxy?: ((value: object) => boolean) | undefined;
  /** What is behind an object that is a draft; undefined for other objects. */
  readonly drafted?: ((value: object) => Drafted | undefined) | undefined;
}

/** A list or a plain object in a draft of an earlier value: what was not touched is as it was. */
export interface Drafted {
  /** What it is now. An entry that is the same as in `base` was not touched. */
  readonly content: object;
  readonly base: object;
  /** The tree of `base`. */
  readonly tree: Tree;
  /** How deep `base` lies in its value. */
  readonly depth: number;
  /** Whether it has nothing but entries or fields that can be seen: no holes, getters or symbols. */
  readonly isPlain: boolean;
}

/**
 * A value as a tree that shares nothing with it. Exact: what cannot be brought back as it is throws
 * `value-unsupported` with its path. Two things are no part of a value: whether it is frozen, and which
 * memory a view of bytes shares.
 */
export function valueToTree(value: unknown, options: TreeOptions = {}): Tree {
  return new TreeMaker(true, options).make(value, options.previous);
}

/** The same as JSON: bytes are written in base64. */
export function valueToJson(value: unknown, name = 'value'): Json {
  return new TreeMaker(false, { name }).make(value, undefined) as Json;
}

// Says what a property descriptor would, without making one.
const { __lookupGetter__: getterOf } = Object.prototype as unknown as {
  readonly __lookupGetter__: (this: object, key: PropertyKey) => unknown;
};

class TreeMaker {
  readonly #root: Place;
  readonly #keepsBytes: boolean;
  readonly #isProxy: (value: object) => boolean;
  readonly #drafted: (value: object) => Drafted | undefined;
  /** Where each object was first met: a second time it is a reference to there. */
  readonly #seen = new Map<object, Place>();
  #at: Place;

  constructor(keepsBytes: boolean, { name = 'value', isProxy, drafted }: TreeOptions) {
    this.#isProxy = isProxy ?? (() => true);
    this.#drafted = drafted ?? (() => undefined);
    this.#root = { parent: null, key: name, depth: 0 };
    this.#at = this.#root;
    this.#keepsBytes = keepsBytes;
  }

  make(value: unknown, previous: Tree | undefined): Tree {
    try {
      return this.#any(value, null, this.#root.key, previous);
    } catch (error) {
      if (isSavepointError(error)) throw error;
      // A proxy that throws, or an object that only pretends to be of its class.
      throw unsupported(this.#at, 'it cannot be read', error);
    }
  }

  #any(value: unknown, parent: Place | null, key: Segment, previous: Tree | undefined): Tree {
    switch (typeof value) {
      case 'string':
      case 'boolean':
        return value;
      case 'number':
        return this.#number(value, previous);
      case 'bigint':
        return shareTag('$BigInt', String(value), previous);
      case 'undefined':
        return shareTag('$undefined', true, previous);
      case 'object':
        return value === null ? null : this.#object(value, this.#place(parent, key), previous);
      default:
        throw unsupported(this.#place(parent, key), `it is a ${typeof value}`);
    }
  }

  #number(value: number, previous: Tree | undefined): Tree {
    if (Number.isFinite(value) && !Object.is(value, -0)) return value;
    return shareTag('$number', Object.is(value, -0) ? '-0' : String(value), previous);
  }

  #place(parent: Place | null, key: Segment): Place {
    return parent === null ? this.#root : { parent, key, depth: parent.depth + 1 };
  }

  #object(value: object, place: Place, previous: Tree | undefined): Tree {
    this.#at = place;
    if (place.depth > MAX_DEPTH) throw unsupported(place, 'it is nested too deeply');
    const first = this.#seen.get(value);
    if (first !== undefined) {
      return shareTag('$ref', shareList(segmentsOf(first), previous, '$ref'), previous);
    }
    this.#seen.set(value, place);
    const draft = this.#drafted(value);
    return draft === undefined ? this.#content(value, place, previous) : this.#draft(draft, place);
  }

  /** What was not touched has the tree that it had, unless it is deeper now: then that has to be looked at. */
  #draft(draft: Drafted, place: Place): Tree {
    const { content, base, tree, depth, isPlain } = draft;
    if (!isPlain || place.depth > depth) return this.#content(content, place, tree);
    if (Array.isArray(content)) {
      const trees = tree as readonly Tree[];
      return shareList(this.#draftItems(content, base as readonly unknown[], trees, place), tree);
    }
    const made = new SharedObject(tree as TreeObject);
    for (const key of Object.keys(content)) {
      const now: unknown = Reflect.get(content, key);
      const written = writtenKey(key);
      const before = made.before(written);
      const isSame = before !== undefined && Object.is(now, Reflect.get(base, key));
      made.set(written, isSame ? before : this.#any(now, place, key, before));
    }
    return made.object();
  }

  #draftItems(
    items: readonly unknown[],
    base: readonly unknown[],
    trees: readonly Tree[],
    place: Place,
  ): Tree[] {
    const made: Tree[] = [...trees];
    made.length = Math.min(trees.length, items.length);
    for (let index = 0; index < items.length; index += 1) {
      const item = items[index];
      const isSame = index < trees.length && Object.is(item, base[index]);
      if (!isSame) made[index] = this.#any(item, place, index, trees[index]);
    }
    return made;
  }

  #content(value: object, place: Place, previous: Tree | undefined): Tree {
    if (Array.isArray(value)) return this.#array(value, place, previous);
    const prototype: object | null = Object.getPrototypeOf(value);
    if (prototype === Object.prototype) {
      if (isObject(previous) && hasSameFields(value, previous)) return previous;
      return this.#fields(value, place, previous);
    }
    if (prototype === null) {
      return shareTag('$bare', this.#fields(value, place, inner(previous, '$bare')), previous);
    }
    return this.#builtIn(value, prototype, place, previous);
  }

  #fields(value: object, place: Place, previous: Tree | undefined): TreeObject {
    this.#refuseKeys(Object.getOwnPropertySymbols(value), place);
    const made = new SharedObject(isObject(previous) ? previous : null);
    // V8 has these at hand where all of them can be seen, unlike those of `Reflect.ownKeys`.
    for (const key of Object.getOwnPropertyNames(value)) {
      const written = writtenKey(key);
      const content = this.#data(value, key, place);
      made.set(written, this.#any(content, place, key, made.before(written)));
    }
    return made.object();
  }

  /** The value of an own property which is data and can be seen. */
  #data(value: object, key: string | number, place: Place): unknown {
    const property = Object.getOwnPropertyDescriptor(value, key);
    if (property === undefined || !('value' in property)) {
      throw unsupported(this.#place(place, key), 'it is a getter or setter');
    }
    if (!property.enumerable) {
      throw unsupported(this.#place(place, key), 'it is hidden (not enumerable)');
    }
    return property.value;
  }

  #array(value: readonly unknown[], place: Place, previous: Tree | undefined): Tree {
    if (Object.getPrototypeOf(value) !== Array.prototype) {
      throw unsupported(place, 'it is of a class of its own');
    }
    this.#refuseKeys(Object.getOwnPropertySymbols(value), place);
    // Its indices in their order, its length, and what else was put on it.
    const keys = Object.getOwnPropertyNames(value);
    const count = keys[value.length] === 'length' ? value.length : keys.indexOf('length');
    this.#refuseKeys(keys.slice(count + 1), place);
    if (count < value.length) return this.#sparse(value, keys.slice(0, count), place, previous);
    return this.#items(value, place, previous);
  }

  #items(value: readonly unknown[], place: Place, previous: Tree | undefined): Tree {
    const old = Array.isArray(previous) ? (previous as readonly Tree[]) : [];
    const isSeen = !this.#isProxy(value) && Object.keys(value).length === value.length;
    // Past the first difference entries are looked for from the end: something was put in, or taken out.
    let shift = 0;
    const items: Tree[] = [];
    for (let index = 0; index < value.length; index += 1) {
      const before = old[index + shift];
      const item = isSeen ? this.#item(value, index, place) : this.#data(value, index, place);
      const tree = this.#any(item, place, index, before);
      if (shift === 0 && tree !== before) shift = old.length - value.length;
      items.push(tree);
    }
    return shareList(items, previous);
  }

  /** As `#data`, in a fraction of the time, for one that can be seen: without a getter it is what it reads as. */
  #item(value: readonly unknown[], index: number, place: Place): unknown {
    const item = getterOf.call(value, index) === undefined ? value[index] : undefined;
    return item === undefined ? this.#data(value, index, place) : item;
  }

  /** Holes are kept, and cost nothing. */
  #sparse(
    value: readonly unknown[],
    keys: readonly string[],
    place: Place,
    previous: Tree | undefined,
  ): Tree {
    const items: Record<string, Tree> = {};
    for (const key of keys) {
      items[key] = this.#any(this.#data(value, key, place), place, Number(key), undefined);
    }
    return shareTag('$array', { length: value.length, items }, previous);
  }

  #builtIn(value: object, prototype: object, place: Place, previous: Tree | undefined): Tree {
    const bytes = bytesTag(prototype);
    if (bytes !== null) {
      this.#refuseKeys(extraKeys(value), place);
      return shareTag(bytes, this.#bytes(bytesOf(value, place), previous, bytes), previous);
    }
    const type = errorClass(prototype);
    if (type !== null) return this.#error(value as Error, type, place);
    if (prototype === RegExp.prototype) return this.#regExp(value as RegExp, place, previous);
    this.#refuseKeys(Reflect.ownKeys(value), place);
    if (prototype === Date.prototype) {
      const time = Date.prototype.getTime.call(value);
      return shareTag('$Date', Number.isNaN(time) ? null : new Date(time).toISOString(), previous);
    }
    if (prototype === Map.prototype)
      return this.#map(value as Map<unknown, unknown>, place, previous);
    if (prototype === Set.prototype) return this.#set(value as Set<unknown>, place, previous);
    throw unsupported(place, `it is an instance of ${nameOf(prototype)}`);
  }

  #refuseKeys([key]: readonly PropertyKey[], place: Place): void {
    if (key !== undefined) throw unsupported(place, `it has the key ${String(key)}`);
  }

  #bytes(bytes: Uint8Array, previous: Tree | undefined, tag: string): Tree {
    if (!this.#keepsBytes) {
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
    }
    const old = inner(previous, tag);
    return old instanceof Uint8Array && sameBytes(old, bytes) ? old : new Uint8Array(bytes);
  }

  #map(value: Map<unknown, unknown>, place: Place, previous: Tree | undefined): Tree {
    const old = listIn(previous, '$Map');
    const entries: Tree[] = [];
    for (const [key, entry] of Map.prototype.entries.call(value)) {
      const at = entries.length;
      const before = old[at];
      const [oldKey, oldEntry] = Array.isArray(before) ? (before as readonly Tree[]) : [];
      const pair = [
        this.#any(key, place, 2 * at, oldKey),
        this.#any(entry, place, 2 * at + 1, oldEntry),
      ];
      entries.push(shareList(pair, before));
    }
    return shareTag('$Map', shareList(entries, previous, '$Map'), previous);
  }

  #set(value: Set<unknown>, place: Place, previous: Tree | undefined): Tree {
    const old = listIn(previous, '$Set');
    const members: Tree[] = [];
    for (const member of Set.prototype.values.call(value)) {
      members.push(this.#any(member, place, members.length, old[members.length]));
    }
    return shareTag('$Set', shareList(members, previous, '$Set'), previous);
  }

  #regExp(value: RegExp, place: Place, previous: Tree | undefined): Tree {
    this.#refuseKeys(
      Reflect.ownKeys(value).filter((key) => key !== 'lastIndex'),
      place,
    );
    const { source, flags, lastIndex } = value;
    // It can be set to anything.
    if (!Number.isSafeInteger(lastIndex) || Object.is(lastIndex, -0)) {
      throw unsupported(place, 'its lastIndex is not a position');
    }
    return shareTag(
      '$RegExp',
      shareList([source, flags, lastIndex], previous, '$RegExp'),
      previous,
    );
  }

  /** All own fields, the hidden ones among them, in their order. */
  #error(value: Error, type: string, place: Place): Tree {
    if (!isError(value)) throw unsupported(place, `it only inherits from ${type}`);
    const fields: Record<string, Tree> = {};
    const shown: string[] = [];
    for (const key of Reflect.ownKeys(value)) {
      if (typeof key === 'symbol') throw unsupported(place, `it has the key ${String(key)}`);
      const property = Object.getOwnPropertyDescriptor(value, key);
      // Node makes the text of a stack when it is asked for.
      const isData = property !== undefined && ('value' in property || key === 'stack');
      if (!isData) throw unsupported(this.#place(place, key), 'it is a getter or setter');
      const content: unknown = 'value' in property ? property.value : value.stack;
      setKey(fields, writtenKey(key), this.#any(content, place, key, undefined));
      if (property.enumerable) shown.push(key);
    }
    return { $Error: { type, fields, shown } };
  }
}

/**
 * Whether an object of texts and numbers is what its earlier tree is: messages are, by the hundred, and to
 * find that out is most of the work there is with them. False also where it takes more to tell.
 */
function hasSameFields(value: object, old: TreeObject): boolean {
  if (Object.getOwnPropertySymbols(value).length > 0) return false;
  const keys = Object.getOwnPropertyNames(value);
  let count = 0;
  // The only way to the keys that makes no list of them.
  for (const key in old) {
    // One that begins with `$` says something else in a value than in a tree.
    if (keys[count] !== key || key.startsWith('$')) return false;
    const property = Object.getOwnPropertyDescriptor(value, key);
    const content: unknown = property?.enumerable === true ? property.value : undefined;
    if (!Object.is(content, old[key]) || (typeof content === 'object' && content !== null)) {
      return false;
    }
    count += 1;
  }
  return count === keys.length;
}

/** What a tag of an earlier tree holds. */
function inner(previous: Tree | undefined, tag: string): Tree | undefined {
  return isObject(previous) ? previous[tag] : undefined;
}

function listIn(previous: Tree | undefined, tag: string): readonly Tree[] {
  const list = inner(previous, tag);
  return Array.isArray(list) ? list : [];
}

/** Whether it was made as an error, and has a stack that Node fills in. */
function isError(value: object): boolean {
  return Object.prototype.toString.call(value) === '[object Error]';
}

function nameOf(prototype: object): string {
  const maker: unknown = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value;
  return typeof maker === 'function' && maker.name !== '' ? maker.name : 'a class of its own';
}
