import { type Snapshot, snapshotOf, treeToValue } from './from-tree.ts';
import { type Drafted, valueToTree } from './to-tree.ts';
import { setKey, type Tree, type TreeObject, tagOf, writtenKey } from './tree.ts';

export interface DraftOptions {
  /** What the value is called in errors. */
  readonly name: string;
  /** Throws where the draft must not be changed any more. */
  readonly refuseChange: () => void;
  readonly isProxy?: ((value: object) => boolean) | undefined;
}

/** One list or plain object of a draft. */
interface Node extends Drafted {
  isPlain: boolean;
}

/**
 * A snapshot as a value that can be changed. It is copied as far as somebody looks at it, so that what nobody
 * touched is neither copied nor looked through again. A value with parts that are one object is copied whole:
 * there, a change at one place is a change at another.
 */
export class StateDraft {
  readonly #from: Snapshot;
  readonly #options: DraftOptions;
  readonly #nodes = new WeakMap<object, Node>();
  /** What may be changed. */
  readonly value: unknown;

  constructor(from: Snapshot, options: DraftOptions) {
    this.#from = from;
    this.#options = options;
    this.value = from.hasReferences
      ? treeToValue(from.tree)
      : this.#changeable(from.value, from.tree, 0);
  }

  /** What it is now. Throws `value-unsupported`. */
  snapshot(): Snapshot {
    return snapshotOf(this.treeOf(this.value, this.#options.name, this.#from.tree), this.#from);
  }

  /** The tree of a value that may hold parts of this draft. */
  treeOf(value: unknown, name: string, previous?: Tree): Tree {
    const { isProxy } = this.#options;
    return valueToTree(value, { name, previous, isProxy, drafted: (one) => this.#nodes.get(one) });
  }

  #changeable(base: unknown, tree: Tree, depth: number): unknown {
    if (typeof base !== 'object' || base === null) return base;
    const isPlain = Array.isArray(tree) || tagOf(tree as TreeObject) === null;
    return isPlain ? this.#proxyOf(base, tree, depth) : treeToValue(tree);
  }

  #proxyOf(base: object, tree: Tree, depth: number): object {
    const content: object = Array.isArray(base) ? [...base] : { ...base };
    const node: Node = { content, base, tree, depth, isPlain: true };
    const proxy = new Proxy(content, this.#trapsOf(node));
    this.#nodes.set(proxy, node);
    return proxy;
  }

  #trapsOf(node: Node): ProxyHandler<object> {
    const changing = (isPlain: boolean): void => {
      this.#options.refuseChange();
      node.isPlain &&= isPlain;
    };
    return {
      get: (content, key, receiver) => {
        this.#touch(node, key);
        return Reflect.get(content, key, receiver);
      },
      getOwnPropertyDescriptor: (content, key) => {
        this.#touch(node, key);
        return Reflect.getOwnPropertyDescriptor(content, key);
      },
      set: (content, key, value) => {
        changing(isPlainSet(content, key, value));
        return Reflect.set(content, key, value);
      },
      deleteProperty: (content, key) => {
        changing(!Array.isArray(content));
        return Reflect.deleteProperty(content, key);
      },
      defineProperty: (content, key, descriptor) => {
        changing(false);
        return Reflect.defineProperty(content, key, descriptor);
      },
      setPrototypeOf: (content, prototype) => {
        changing(false);
        return Reflect.setPrototypeOf(content, prototype);
      },
      preventExtensions: (content) => {
        changing(false);
        // From now on entries cannot be replaced, and JavaScript insists on seeing them as they are.
        for (const key of Reflect.ownKeys(content)) this.#touch(node, key);
        return Reflect.preventExtensions(content);
      },
    };
  }

  /** Before somebody gets hold of an entry: it becomes one that can be changed. */
  #touch({ content, base, tree, depth }: Node, key: PropertyKey): void {
    if (typeof key === 'symbol' || !Object.hasOwn(content, key) || !Object.hasOwn(base, key))
      return;
    const now: unknown = Reflect.get(content, key);
    if (typeof now !== 'object' || now === null || now !== Reflect.get(base, key)) return;
    const written = Array.isArray(tree) ? key : writtenKey(String(key));
    const treeOfEntry = (tree as TreeObject)[written] as Tree;
    setKey(content, String(key), this.#changeable(now, treeOfEntry, depth + 1));
  }
}

/** Whether a list stays without holes and extras by this, and an object a plain one. */
function isPlainSet(content: object, key: PropertyKey, value: unknown): boolean {
  if (typeof key === 'symbol') return false;
  if (!Array.isArray(content)) return key !== '__proto__';
  if (key === 'length') return Number(value) <= content.length;
  const index = Number(key);
  return String(index) === key && Number.isInteger(index) && index >= 0 && index <= content.length;
}
