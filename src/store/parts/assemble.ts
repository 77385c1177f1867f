import type { PartId } from '../../model/ids.ts';
import { invalid } from '../../model/value/from-tree.ts';
import { type Tree, type TreeObject, treeToValue } from '../../model/value/index.ts';
import { setKey, tagOf } from '../../model/value/tree.ts';
import type { Part } from './part.ts';

/** The value whose parts these are, the first one among them. */
export function assemble(root: PartId, parts: Iterable<Part>): unknown {
  const assembly = new Assembly(parts);
  const tree = assembly.tree(root);
  // Text without a tag is the value itself.
  return assembly.isTagged ? treeToValue(tree) : tree;
}

class Assembly {
  readonly #parts: ReadonlyMap<PartId, Part>;
  isTagged = false;

  constructor(parts: Iterable<Part>) {
    this.#parts = new Map([...parts].map((part) => [part.id, part]));
  }

  /** Made anew each time: a part that is in two places is two objects there. */
  tree(id: PartId): Tree {
    const part = this.#parts.get(id);
    if (part === undefined) throw invalid('a part is missing');
    if (part.kind === 'bytes') return part.data;
    this.isTagged ||= part.kind === 'tagged';
    const tree = parsed(part.data);
    return part.children.length === 0 ? tree : this.#filled(tree, part.children.values());
  }

  #filled(tree: Tree, children: Iterator<PartId>): Tree {
    if (typeof tree !== 'object' || tree === null) return tree;
    if (Array.isArray(tree)) return tree.map((item) => this.#filled(item, children));
    const tag = tagOf(tree);
    if (tag === '$part') return this.#next(children);
    const made: Record<string, Tree> = {};
    for (const [key, value] of Object.entries(tree as TreeObject)) {
      setKey(made, key, this.#filled(value, children));
    }
    return tag === '$joined' ? join(made.$joined) : made;
  }

  #next(children: Iterator<PartId>): Tree {
    const next = children.next();
    if (next.done === true) throw invalid('a part holds fewer parts than it says');
    return this.tree(next.value);
  }
}

function parsed(data: Uint8Array): Tree {
  try {
    return JSON.parse(Buffer.from(data.buffer, data.byteOffset, data.length).toString()) as Tree;
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
  if (Array.isArray(first)) return (pieces as readonly Tree[][]).flat();
  const made: Record<string, Tree> = {};
  for (const piece of pieces as readonly TreeObject[]) {
    for (const [key, value] of Object.entries(piece)) setKey(made, key, value);
  }
  return made;
}
