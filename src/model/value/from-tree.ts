import { isSavepointError, SavepointError } from '../errors.ts';
import { bytesFrom, emptyError, isBytesTag } from './classes.ts';
import { isObject } from './share.ts';
import {
  type Json,
  readKey,
  type Segment,
  setKey,
  type Tree,
  type TreeObject,
  tagOf,
} from './tree.ts';

/** The value that a tree was made of. Throws `value-invalid` where nobody can have written that. */
export function treeToValue(tree: Tree): unknown {
  return read(() => new ValueMaker({ freezes: false, reuses: false }).make(tree));
}

function read(make: () => unknown): unknown {
  try {
    return make();
  } catch (error) {
    if (isSavepointError(error)) throw error;
    // The stack has an end, and nobody writes what is nested so deeply.
    throw invalid('it is nested too deeply');
  }
}

/** A value that nobody can change, and its tree. Maps, Sets, Dates and bytes in it cannot be kept from changing. */
export interface Snapshot {
  readonly tree: Tree;
  readonly value: unknown;
  /** Whether parts of it are one and the same object, or hold themselves. */
  readonly hasReferences: boolean;
}

/** The value of a tree, frozen. Parts that the tree shares with that of an earlier snapshot are not made again. */
export function snapshotOf(tree: Tree, previous?: Snapshot): Snapshot {
  const earlier = previous?.hasReferences ? undefined : previous;
  const maker = new ValueMaker({ freezes: true, reuses: earlier !== undefined });
  try {
    const value = read(() => maker.make(tree, '', earlier));
    return { tree, value, hasReferences: maker.hasReferences };
  } catch (error) {
    if (earlier !== undefined && maker.hasReferences) return snapshotOf(tree);
    throw error;
  }
}

/** The value that JSON was made of. */
export function jsonToValue(json: Json): unknown {
  return treeToValue(json);
}

/** A container whose contents are being made. */
interface Frame {
  readonly key: Segment;
  readonly value: object;
}

/** A tree that may share parts with the one that is read, and its value. */
type Earlier = Pick<Snapshot, 'tree' | 'value'>;

class ValueMaker {
  readonly #freezes: boolean;
  readonly #reuses: boolean;
  hasReferences = false;
  readonly #frames: Frame[] = [];
  /** Entries of Maps and Sets by their numbers, for references into them. */
  readonly #entries = new Map<object, unknown[]>();

  /** `reuses`: parts of an earlier value are taken over; then it throws where the tree has references. */
  constructor(how: { readonly freezes: boolean; readonly reuses: boolean }) {
    this.#freezes = how.freezes;
    this.#reuses = how.reuses;
  }

  make(tree: Tree, key: Segment = '', earlier?: Earlier): unknown {
    if (typeof tree !== 'object' || tree === null) return tree;
    if (earlier?.tree === tree) return earlier.value;
    if (Array.isArray(tree)) return this.#list(tree, key, earlier);
    if (tree instanceof Uint8Array) throw invalid('there are bytes without a type');
    const tag = tagOf(tree);
    const object = tree as TreeObject;
    if (tag === null) return this.#fields({}, object, key, earlier);
    return this.#tagged(tag, object[tag] as Tree, key);
  }

  #within<Made extends object>(value: Made, key: Segment, fill: () => void): Made {
    this.#frames.push({ key, value });
    fill();
    this.#frames.pop();
    return this.#freezes ? Object.freeze(value) : value;
  }

  #list(items: readonly Tree[], key: Segment, earlier?: Earlier): unknown[] {
    const trees = Array.isArray(earlier?.tree) ? (earlier.tree as readonly Tree[]) : [];
    const values = trees.length === 0 ? [] : (earlier?.value as readonly unknown[]);
    // Entries are in their places, or as far from the end as they were: some were put in, or taken out.
    const shift = trees.length - items.length;
    const list: unknown[] = [...values];
    list.length = Math.min(list.length, items.length);
    return this.#within(list, key, () => {
      for (let index = 0; index < items.length; index += 1) {
        const item = items[index] as Tree;
        if (item === trees[index]) continue;
        const at = index + shift;
        if (item === trees[at]) list[index] = values[at];
        else list[index] = this.make(item, index, earlierAt(trees, values, index));
      }
    });
  }

  #fields(made: object, tree: TreeObject, key: Segment, earlier?: Earlier): object {
    const isLike = isObject(earlier?.tree) && tagOf(earlier.tree) === null;
    const [trees, values] = isLike ? [earlier.tree, earlier.value as object] : [{}, {}];
    return this.#within(made, key, () => {
      for (const written of Object.keys(tree)) {
        const own = keyOf(written);
        const value: unknown = Object.getOwnPropertyDescriptor(values, own)?.value;
        const pair = value === undefined ? undefined : { tree: trees[written] as Tree, value };
        setKey(made, own, this.make(tree[written] as Tree, own, pair));
      }
    });
  }

  #tagged(tag: string, content: Tree, key: Segment): unknown {
    if (isBytesTag(tag)) return bytes(tag, content);
    switch (tag) {
      case '$undefined':
        return undefined;
      case '$number':
        return specialNumber(content);
      case '$BigInt':
        return bigInt(content);
      case '$Date':
        return date(content);
      case '$RegExp':
        return regExp(content);
      case '$bare':
        return this.#fields(Object.create(null), objectOf(content), key);
      case '$array':
        return this.#sparse(objectOf(content), key);
      case '$Map':
        return this.#map(listOf(content), key);
      case '$Set':
        return this.#set(listOf(content), key);
      case '$Error':
        return this.#error(objectOf(content), key);
      case '$ref':
        this.hasReferences = true;
        // It may lead into a part that was taken over, of which nobody knows the way to its entries.
        if (this.#reuses) throw invalid('there are references');
        return this.#resolve(listOf(content) as readonly Segment[]);
      default:
        throw invalid(`nothing is called ${tag}`);
    }
  }

  #sparse({ length, items }: TreeObject, key: Segment): unknown[] {
    if (!isLength(length)) throw invalid('a list has no length');
    const list: unknown[] = [];
    list.length = length;
    return this.#within(list, key, () => {
      for (const [index, item] of Object.entries(objectOf(items))) {
        if (!(Number(index) < length)) throw invalid('a list has something beyond its end');
        list[Number(index)] = this.make(item, Number(index));
      }
    });
  }

  #map(pairs: readonly Tree[], key: Segment): Map<unknown, unknown> {
    const made = new Map<unknown, unknown>();
    const entries: unknown[] = [];
    this.#entries.set(made, entries);
    return this.#within(made, key, () => {
      for (const pair of pairs) {
        const [name, entry] = listOf(pair);
        if (name === undefined || entry === undefined) throw invalid('a Map has no pairs');
        entries.push(this.make(name, entries.length));
        entries.push(this.make(entry, entries.length));
        made.set(entries.at(-2), entries.at(-1));
      }
    });
  }

  #set(members: readonly Tree[], key: Segment): Set<unknown> {
    const made = new Set<unknown>();
    const entries: unknown[] = [];
    this.#entries.set(made, entries);
    return this.#within(made, key, () => {
      for (const member of members) {
        entries.push(this.make(member, entries.length));
        made.add(entries.at(-1));
      }
    });
  }

  #error({ type, fields, shown }: TreeObject, key: Segment): Error {
    const error = typeof type === 'string' ? emptyError(type) : null;
    if (error === null) throw invalid('an error has no class');
    const visible = new Set(listOf(shown));
    return this.#within(error, key, () => {
      for (const [written, tree] of Object.entries(objectOf(fields))) {
        const own = keyOf(written);
        const value = this.make(tree, own);
        const enumerable = visible.has(own);
        Object.defineProperty(error, own, {
          value,
          enumerable,
          configurable: true,
          writable: true,
        });
      }
    });
  }

  /** Something that was met before: it is whole, or around the place where we are. */
  #resolve(segments: readonly Segment[]): unknown {
    let found: unknown = this.#frames[0]?.value;
    let isAround = true;
    for (const [depth, segment] of segments.entries()) {
      const frame = this.#frames[depth + 1];
      isAround &&= frame?.key === segment;
      found = isAround ? frame?.value : this.#child(found, segment);
    }
    if (typeof found !== 'object' || found === null) throw invalid('a reference leads nowhere');
    return found;
  }

  #child(parent: unknown, segment: Segment): unknown {
    if (typeof parent !== 'object' || parent === null) return undefined;
    const entries = this.#entries.get(parent);
    if (entries !== undefined) return entries[segment as number];
    return Object.getOwnPropertyDescriptor(parent, segment)?.value;
  }
}

function earlierAt(
  trees: readonly Tree[],
  values: readonly unknown[],
  index: number,
): Earlier | undefined {
  const tree = trees[index];
  return tree === undefined ? undefined : { tree, value: values[index] };
}

function bytes(tag: string, content: Tree): object {
  const raw = typeof content === 'string' ? fromBase64(content) : content;
  const made = raw instanceof Uint8Array ? bytesFrom(tag, raw) : null;
  if (made === null) throw invalid(`these are not the bytes of a ${tag.slice(1)}`);
  return made;
}

/** Null where it is not exactly what is written for some bytes. */
function fromBase64(text: string): Uint8Array | null {
  const decoded = Buffer.from(text, 'base64');
  return decoded.toString('base64') === text ? decoded : null;
}

const ONE_DOLLAR = /^\$(?!\$)/;

/** A file that somebody wrote by hand may have such a key; to take it for another would be a silent change. */
function keyOf(written: string): string {
  if (ONE_DOLLAR.test(written)) throw invalid(`the key ${written} begins with one $`);
  return readKey(written);
}

const NUMBERS: ReadonlyMap<Tree, number> = new Map<Tree, number>([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
  ['-0', -0],
]);

function specialNumber(content: Tree): number {
  const found = NUMBERS.get(content);
  if (found === undefined) throw invalid('it is not a number');
  return found;
}

function bigInt(content: Tree): bigint {
  if (typeof content !== 'string' || !/^-?\d+$/.test(content)) throw invalid('it is not a BigInt');
  return BigInt(content);
}

function date(content: Tree): Date {
  if (content === null) return new Date(Number.NaN);
  const made = new Date(typeof content === 'string' ? content : Number.NaN);
  if (!Number.isNaN(made.getTime()) && made.toISOString() === content) return made;
  throw invalid('it is not a time');
}

function regExp(content: Tree): RegExp {
  const [source, flags, lastIndex] = listOf(content);
  try {
    const made = new RegExp(String(source), String(flags));
    made.lastIndex = Number(lastIndex);
    return made;
  } catch {
    throw invalid('it is not a regular expression');
  }
}

function listOf(tree: Tree | undefined): readonly Tree[] {
  if (!Array.isArray(tree)) throw invalid('a list is missing');
  return tree;
}

function objectOf(tree: Tree | undefined): TreeObject {
  if (typeof tree !== 'object' || tree === null || Array.isArray(tree)) {
    throw invalid('an object is missing');
  }
  return tree as TreeObject;
}

const MAX_LENGTH = 2 ** 32 - 1;

function isLength(length: unknown): length is number {
  return Number.isInteger(length) && Number(length) >= 0 && Number(length) <= MAX_LENGTH;
}

export function invalid(reason: string): SavepointError {
  return new SavepointError('value-invalid', `this is nothing that Savepoint wrote: ${reason}`);
}
