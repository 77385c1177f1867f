import type { PartId } from '../../model/ids.ts';
import { type Tree, valueToTree } from '../../model/value/index.ts';
import { Packer } from './packer.ts';
import type { Part } from './part.ts';

/** A value as it goes into a batch. */
export interface PackedDocument {
  readonly root: PartId;
  /** Those that may be new to the store, children first. */
  readonly parts: readonly Part[];
}

/**
 * Packs one document again and again as it changes. What did not change since the last time is neither
 * encoded nor hashed again, and its parts are not handed out again: who cannot store what was handed out
 * calls `forget`.
 */
export class DocumentPacker {
  #packer = new Packer();
  #previous: Tree | undefined;

  /** Throws `value-unsupported`; `name` is what the value is called in the path. */
  pack(value: unknown, name: string): PackedDocument {
    return this.packTaken(this.take(value, name));
  }

  /** The value as it is now, to be packed later, whatever becomes of it. */
  take(value: unknown, name: string): Tree {
    return valueToTree(value, { name, previous: this.#previous });
  }

  packTaken(tree: Tree): PackedDocument {
    const packed = this.#packer.pack(tree);
    this.#previous = tree;
    return packed;
  }

  /** Everything is handed out again the next time. */
  forget(): void {
    this.#packer = new Packer();
    this.#previous = undefined;
  }
}
