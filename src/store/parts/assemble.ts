import type { PartId } from '../../model/ids.ts';
import { invalid } from '../../model/value/from-tree.ts';
import { type Tree, type TreeObject, treeToValue } from '../../model/value/index.ts';
import { setKey, tagOf } from '../../model/value/tree.ts';
import type { Part } from './part.ts';

/** The value whose parts these are, the first one among them. */
export function assemble(root: PartId, parts: Iterable<Part>): unknown {
  const assembly = new Assembly(parts);
  const tree = assembly.whole(root);
  // Text without a tag is the value itself.
  return assembly.isTagged ? treeToValue(tree) : tree;
}

/** The tree of that value. */
export function assembleTree(root: PartId, parts: Iterable<Part>): Tree {
  return new Assembly(parts).whole(root);
}

class Assembly {
  readonly #parts: ReadonlyMap<PartId, Part>;
  isTagged = false;

  constructor(parts: Iterable<Part>) {
    const known = new Map<PartId, Part>();
    for (const part of parts) known.set(part.id, part);
    this.#parts = known;
  }

  whole(root: PartId): Tree {
    try {
      return this.tree(root);
    } catch (error) {
      // A writer refuses values that are nested so deeply, so the stack ends only for damaged ones.
      throw error instanceof RangeError ? invalid('it is nested too deeply') : error;
    }
  }

  /** Made anew each time: a part that is in two places is two objects there. */
  tree(id: PartId): Tree {
    const part = this.#parts.get(id);
    if (part === undefined) throw invalid('a part is missing');
    if (part.kind === 'bytes' || part.kind === 'text') return part.data;
    this.isTagged ||= part.kind === 'tagged';
    const tree = parsed(part.data);
    return part.children.length === 0 ? tree : this.#filled(tree, part.children.values());
  }

  /** In place: what was just parsed is nobody else's. */
  #filled(tree: Tree, children: Iterator<PartId>): Tree {
    if (typeof tree !== 'object' || tree === null) return tree;
    if (Array.isArray(tree)) return this.#filledList(tree as readonly Tree[], children);
    const object = tree as TreeObject;
    const tag = tagOf(object);
    if (tag === '$part') return this.#next(children);
    for (const key of Object.keys(object)) {
      const before = object[key] as Tree;
      const after = this.#filled(before, children);
      if (after !== before) setKey(object, key, after);
    }
    return tag === '$joined' ? join(object.$joined) : object;
  }

  #filledList(list: readonly Tree[], children: Iterator<PartId>): Tree {
    const filled: Tree[] = [];
    for (const item of list) {
      filled.push(this.#filled(item, children));
      for (let more = partsMore(item); more > 0; more -= 1) filled.push(this.#next(children));
    }
    return filled;
  }

  #next(children: Iterator<PartId>): Tree {
    const next = children.next();
    if (next.done === true) throw invalid('a part holds fewer parts than it says');
    return this.tree(next.value);
  }
}

/** How many parts follow the one that an entry of a list stands for. */
function partsMore(item: Tree): number {
  if (typeof item !== 'object' || item === null || tagOf(item) !== '$part') return 0;
  const more = (item as TreeObject).$part;
  return typeof more === 'number' ? more : 0;
}

function parsed(data: string | Uint8Array): Tree {
  try {
    return JSON.parse(data as string) as Tree;
  } catch {
    throw invalid('a part is no JSON');
  }
}

/** Pieces of a text, of bytes, of a list or of an object, all of one kind. */
function join(pieces: Tree | undefined): Tree {
  if (!Array.isArray(pieces)) throw invalid('there is nothing to join');
  const [first] = pieces as readonly Tree[];
  if (typeof first === 'string') return pieces.join('');
  if (first instanceof Uint8Array) return new Uint8Array(Buffer.concat(pieces as Uint8Array[]));
  if (Array.isArray(first)) return ([] as Tree[]).concat(...(pieces as readonly Tree[][]));
  const made: Record<string, Tree> = {};
  for (const piece of pieces as readonly TreeObject[]) {
    for (const [key, value] of Object.entries(piece)) setKey(made, key, value);
  }
  return made;
}
