import { isSavepointError } from '../../model/errors.ts';
import { LockQueue } from '../lock-queue.ts';
import { assemble } from '../parts/assemble.ts';
import { DocumentPacker } from '../parts/document-packer.ts';
import { Recent } from '../parts/recent.ts';
import type { Store } from '../store.ts';

export interface DocumentStoreOptions {
  readonly now: () => number;
  /** How long to wait for other writers before `store-locked`. */
  readonly lockTimeoutMs: number;
}

export interface SaveDocumentOptions {
  /** What the value is called in errors. */
  readonly name?: string | undefined;
  readonly onlyNew?: boolean | undefined;
}

// What one remembers takes up about as much memory as its last document.
const REMEMBERED_PACKERS = 8;

/** Values under their names in a store, by structure: what changes little costs little. */
export class DocumentStore {
  readonly #store: Store;
  readonly #options: DocumentStoreOptions;
  readonly #packers = new Recent<DocumentPacker>(REMEMBERED_PACKERS);
  readonly #turns = new LockQueue('the turn of a document');

  constructor(store: Store, options: DocumentStoreOptions) {
    this.#store = store;
    this.#options = options;
  }

  /**
   * Durable when it resolves, as the value was at the call. Throws `value-unsupported` with a path that
   * begins with `name`. Returns false, and does nothing, where the name is taken and it was to be new.
   */
  async save(
    category: string,
    key: string,
    value: unknown,
    { name = 'value', onlyNew = false }: SaveDocumentOptions = {},
  ): Promise<boolean> {
    const packer = this.#packerOf(category);
    const taken = packer.take(value, name);
    const timeoutMs = this.#takeTurn() ?? (await this.#waitForTurn());
    try {
      if (onlyNew && (await this.has(category, key))) return false;
      return await storePacked(packer, () => {
        const packed = packer.packTaken(taken, name);
        const write = { category, key, savedAt: this.#options.now(), ...packed };
        return this.#store.putDocument(write, { timeoutMs, onlyNew });
      });
    } finally {
      this.#turns.leave();
    }
  }

  /** Null where there is none, in an object because a value may be null as well. */
  async load(category: string, key: string): Promise<{ readonly value: unknown } | null> {
    const found = await this.#store.readDocument(category, key);
    return found && { value: assemble(found.document.root, found.parts) };
  }

  async has(category: string, key: string): Promise<boolean> {
    return (await this.#store.document(category, key)) !== null;
  }

  /** Whether there was one. */
  async delete(category: string, key: string): Promise<boolean> {
    const timeoutMs = this.#takeTurn() ?? (await this.#waitForTurn());
    try {
      // Nobody is waited for where there is nothing to remove.
      if (!(await this.has(category, key))) return false;
      return await this.#store.removeDocument(category, key, { timeoutMs });
    } finally {
      this.#turns.leave();
    }
  }

  /** In their order. */
  async keys(category: string): Promise<string[]> {
    return (await this.#store.documents(category)).map(({ key }) => key);
  }

  /** One for each category: what comes next is mostly what came last, under another name. */
  #packerOf(category: string): DocumentPacker {
    const packer = this.#packers.get(category) ?? new DocumentPacker();
    this.#packers.set(category, packer);
    return packer;
  }

  // One after the other, in the order of the calls: what is packed has to be stored before the same packer is
  // used again, and of a save and a delete the later one counts. Both answer how long to wait for others.

  /** Null where somebody is before us. */
  #takeTurn(): number | null {
    return this.#turns.tryToEnter() ? this.#options.lockTimeoutMs : null;
  }

  async #waitForTurn(): Promise<number> {
    const { lockTimeoutMs: timeoutMs } = this.#options;
    const since = performance.now();
    await this.#turns.enter({ timeoutMs });
    return Math.max(0, timeoutMs - (performance.now() - since));
  }
}

/**
 * Stores what a packer has packed. What it took to be stored may have been removed since: then it packs
 * everything once more. Where nothing is stored, it relies on nothing afterwards.
 */
async function storePacked(
  packer: DocumentPacker,
  store: () => Promise<boolean>,
): Promise<boolean> {
  let isStored = false;
  try {
    isStored = await store();
    return isStored;
  } catch (error) {
    packer.forget();
    if (!isSavepointError(error, 'part-missing')) throw error;
    isStored = await store();
    return isStored;
  } finally {
    if (!isStored) packer.forget();
  }
}
