import { setKey, type Tree, type TreeObject } from './tree.ts';

// Trees of one document after another are mostly the same. Equal parts are one object in both trees, so that
// the packer skips the parts that it has packed before.

export function shareTag(tag: string, content: Tree, previous: Tree | undefined): TreeObject {
  const made = new SharedObject(isObject(previous) ? previous : null);
  made.set(tag, content);
  return made.object();
}

/** An object in the making, which is the earlier one as long as nothing differs. */
export class SharedObject {
  readonly #old: TreeObject | null;
  readonly #oldKeys: readonly string[];
  #made: Record<string, Tree> | null;
  #count = 0;

  constructor(old: TreeObject | null) {
    this.#old = old;
    this.#oldKeys = old === null ? [] : Object.keys(old);
    this.#made = old === null ? {} : null;
  }

  /** The tree that the earlier object has under this key. */
  before(key: string): Tree | undefined {
    if (this.#old === null) return undefined;
    const isNext = this.#oldKeys[this.#count] === key;
    return isNext || Object.hasOwn(this.#old, key) ? this.#old[key] : undefined;
  }

  set(key: string, tree: Tree): void {
    const isSame =
      this.#made === null && this.#oldKeys[this.#count] === key && this.#old?.[key] === tree;
    if (!isSame) setKey(this.#own(), key, tree);
    this.#count += 1;
  }

  /** The same keys in the same order with the same trees: the earlier object. */
  object(): TreeObject {
    const isWhole = this.#made === null && this.#count === this.#oldKeys.length;
    return isWhole && this.#old !== null ? this.#old : this.#own();
  }

  #own(): Record<string, Tree> {
    if (this.#made !== null) return this.#made;
    const made: Record<string, Tree> = {};
    for (const key of this.#oldKeys.slice(0, this.#count)) {
      setKey(made, key, this.#old?.[key] as Tree);
    }
    this.#made = made;
    return made;
  }
}

/** The earlier list, if it has the same trees; with a tag, it is what that tag of the earlier tree holds. */
export function shareList(
  made: readonly Tree[],
  previous: Tree | undefined,
  tag?: string,
): readonly Tree[] {
  const old = tag === undefined ? previous : isObject(previous) ? previous[tag] : undefined;
  if (!Array.isArray(old) || old.length !== made.length) return made;
  return made.every((item, at) => item === old[at]) ? old : made;
}

export function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}

export function isObject(tree: Tree | undefined): tree is TreeObject {
  return (
    typeof tree === 'object' &&
    tree !== null &&
    !Array.isArray(tree) &&
    !(tree instanceof Uint8Array)
  );
}
