import { isSavepointError } from '../../model/errors.ts';
import { assemble } from '../parts/assemble.ts';
import { DocumentPacker } from '../parts/document-packer.ts';
import { Recent } from '../parts/recent.ts';
import type { Batch, Store } from '../store.ts';

export interface DocumentStoreOptions {
  readonly now: () => number;
  /** How long to wait for another process before `store-locked`. */
  readonly lockTimeoutMs: number;
}

// What they remember takes up about as much memory as their documents.
const REMEMBERED_PACKERS = 8;

/** Values under their names in a store, by structure: what changes little costs little. */
export class DocumentStore {
  readonly #store: Store;
  readonly #options: DocumentStoreOptions;
  readonly #packers = new Recent<DocumentPacker>(REMEMBERED_PACKERS);

  constructor(store: Store, options: DocumentStoreOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** Durable when it resolves. Throws `value-unsupported` with a path that begins with `name`. */
  async save(category: string, key: string, value: unknown, name = 'value'): Promise<void> {
    const packer = this.#packerOf(category, key);
    // Under the lock: what is packed has to be stored before the same packer is used again.
    await this.#locked(async (base) => {
      const write = (): Batch => {
        const { root, parts } = packer.pack(value, name);
        const savedAt = this.#options.now();
        return { base, parts, documents: [{ category, key, root, savedAt }] };
      };
      await commitPacked(this.#store, packer, write);
    });
  }

  /** Null where there is none, in an object because a value may be null as well. */
  async load(category: string, key: string): Promise<{ readonly value: unknown } | null> {
    const document = await this.#store.document(category, key);
    if (document === null) return null;
    const { root } = document;
    return { value: assemble(root, await this.#store.readParts(root)) };
  }

  /** Whether there was one. */
  async delete(category: string, key: string): Promise<boolean> {
    return this.#locked(async (base) => {
      if ((await this.#store.document(category, key)) === null) return false;
      await this.#store.commit({ base, removedDocuments: [{ category, key }] });
      return true;
    });
  }

  /** In their order. */
  async keys(category: string): Promise<string[]> {
    return (await this.#store.documents(category)).map(({ key }) => key);
  }

  #packerOf(category: string, key: string): DocumentPacker {
    const name = JSON.stringify([category, key]);
    const packer = this.#packers.get(name) ?? new DocumentPacker();
    this.#packers.set(name, packer);
    return packer;
  }

  async #locked<Result>(work: (base: number) => Promise<Result>): Promise<Result> {
    const lock = await this.#store.lock({ timeoutMs: this.#options.lockTimeoutMs });
    try {
      return await work(await this.#store.seq());
    } finally {
      lock.release();
    }
  }
}

/**
 * Commits what a packer has packed. What it took to be stored may have been removed since: then it packs
 * everything once more. Whatever fails, it relies on nothing afterwards.
 */
export async function commitPacked(
  store: Store,
  packer: DocumentPacker,
  write: () => Batch,
): Promise<void> {
  try {
    await store.commit(write());
  } catch (error) {
    packer.forget();
    if (!isSavepointError(error, 'part-missing')) throw error;
    try {
      await store.commit(write());
    } catch (failure) {
      packer.forget();
      throw failure;
    }
  }
}
