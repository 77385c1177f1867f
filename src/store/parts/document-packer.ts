import { types } from 'node:util';
import { isSavepointError } from '../../model/errors.ts';
import { type Tree, valueToTree } from '../../model/value/index.ts';
import { unsupported } from '../../model/value/tree.ts';
import { Packer, packWhole } from './packer.ts';
import type { Part } from './part.ts';

/** A value as it goes into a batch. */
export interface PackedDocument {
  /** Its first part. */
  readonly root: Part;
  /** All other parts that may be new to the store, children first. */
  readonly parts: readonly Part[];
}

/**
 * Packs one document again and again as it changes. Parts that did not change since the last time are not
 * encoded, hashed or handed out again, except for the first part. A caller that could not store the parts
 * calls `forget`.
 */
export class DocumentPacker {
  #packer = new Packer();
  #previous: Tree | undefined;
  /** Whether the last document was in one piece: the next one mostly is, too. */
  #isWhole = false;

  /** Throws `value-unsupported`; `name` is what the value is called in the path. */
  pack(value: unknown, name: string): PackedDocument {
    return this.packTaken(this.take(value, name), name);
  }

  /** A copy of the value as it is now, to be packed later. */
  take(value: unknown, name: string): Tree {
    return valueToTree(value, { name, previous: this.#previous, isProxy: types.isProxy });
  }

  /** Throws `value-unsupported` too: a Map in a Map is nested more deeply in its tree than as a value. */
  packTaken(tree: Tree, name: string): PackedDocument {
    try {
      const packed = (this.#isWhole ? packWhole(tree) : null) ?? this.#packer.pack(tree);
      this.#isWhole = packed.parts.length + packed.root.children.length === 0;
      this.#previous = tree;
      return packed;
    } catch (error) {
      this.forget();
      // The stack has an end.
      if (!(error instanceof RangeError)) throw error;
      const root = { parent: null, key: name, depth: 0 };
      throw unsupported(root, 'it is nested too deeply', error);
    }
  }

  /** Everything is handed out again the next time. */
  forget(): void {
    this.#packer = new Packer();
    this.#previous = undefined;
    this.#isWhole = false;
  }
}

/**
 * Stores what packers hand out in `store`. Parts that they took to be stored may have been removed since:
 * then they pack everything once more. Where nothing could be stored, they rely on nothing afterwards.
 */
export async function storePacked<T>(
  packers: readonly DocumentPacker[],
  store: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await store();
    } catch (error) {
      for (const packer of packers) packer.forget();
      if (!isSavepointError(error, 'part-missing') || tries > 1) throw error;
    }
  }
}
