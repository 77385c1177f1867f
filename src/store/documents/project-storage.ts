import { isSavepointError } from '../../model/errors.ts';
import { LockQueue } from '../lock-queue.ts';
import { assemble } from '../parts/assemble.ts';
import { DocumentPacker, storePacked } from '../parts/document-packer.ts';
import { Recent } from '../parts/packer.ts';
import type { Store } from '../store.ts';
import {
  type BaseStorage,
  checkData,
  checkText,
  documentCorrupt,
  documentExists,
  type SaveOptions,
} from './base-storage.ts';

export interface ProjectStorageOptions {
  /** The project's own; the caller who opened it closes it. */
  readonly store: Pick<Store, 'documents'>;
  /** How long to wait for other writers before `store-locked`. Half a minute when left out. */
  readonly lockTimeoutMs?: number | undefined;
  readonly now?: (() => number) | undefined;
}

const LOCK_TIMEOUT_MS = 30_000;
// Each remembers about as much memory as its last document takes up.
const REMEMBERED_PACKERS = 8;

/**
 * Documents in the project's own database, by structure: parts that two values have in common are stored once,
 * and saving a value again costs what changed.
 */
export class ProjectStorage implements BaseStorage {
  readonly #store: Pick<Store, 'documents'>;
  readonly #lockTimeoutMs: number;
  readonly #now: () => number;
  /** One for each category: the next value of a category is mostly like its last one. */
  readonly #packers = new Recent<DocumentPacker>(REMEMBERED_PACKERS);
  /** Saves and deletes run in the order of the calls, also because a packer relies on what it stored last. */
  readonly #turns = new LockQueue('the turn of a document');

  constructor({ store, lockTimeoutMs, now }: ProjectStorageOptions) {
    this.#store = store;
    this.#lockTimeoutMs = lockTimeoutMs ?? LOCK_TIMEOUT_MS;
    this.#now = now ?? Date.now;
  }

  async save(
    category: string,
    key: string,
    data: unknown,
    { onlyNew = false }: SaveOptions = {},
  ): Promise<string> {
    checkNames(category, key);
    checkData(data);
    const packer = this.#packerOf(category);
    // Taken before anything is waited for: the caller may go on changing the value.
    const taken = packer.take(data, 'data');
    await this.#turns.inTurn(this.#lockTimeoutMs, async (timeoutMs) => {
      // Nobody is waited for in vain; the store looks once more.
      if (onlyNew && (await this.#has(category, key))) throw documentExists(category, key);
      const isStored = await storePacked([packer], () => {
        const packed = packer.packTaken(taken, 'data');
        const document = { category, key, savedAt: this.#now(), ...packed };
        return this.#store.documents.put(document, { timeoutMs, onlyNew });
      });
      if (isStored) return;
      packer.forget();
      throw documentExists(category, key);
    });
    return placeOf(category, key);
  }

  async load(category: string, key: string): Promise<unknown> {
    checkNames(category, key);
    try {
      const found = await this.#store.documents.read(category, key);
      return found && assemble(found.document.root, found.parts);
    } catch (error) {
      const codes = ['part-missing', 'part-corrupt', 'value-invalid'] as const;
      if (!codes.some((code) => isSavepointError(error, code))) throw error;
      throw documentCorrupt(placeOf(category, key), (error as Error).message, error);
    }
  }

  async delete(category: string, key: string): Promise<boolean> {
    checkNames(category, key);
    return this.#turns.inTurn(this.#lockTimeoutMs, async (timeoutMs) => {
      // Nobody is waited for where there is nothing to remove.
      if (!(await this.#has(category, key))) return false;
      return this.#store.documents.remove(category, key, { timeoutMs });
    });
  }

  /** In their order. */
  async list(category: string): Promise<string[]> {
    checkText('category', category);
    return (await this.#store.documents.list(category)).map(({ key }) => key);
  }

  async #has(category: string, key: string): Promise<boolean> {
    return (await this.#store.documents.list(category, key)).length > 0;
  }

  #packerOf(category: string): DocumentPacker {
    const packer = this.#packers.get(category) ?? new DocumentPacker();
    this.#packers.set(category, packer);
    return packer;
  }
}

function checkNames(category: string, key: string): void {
  checkText('category', category);
  checkText('key', key);
}

/** For people; a category and a key can read the same in another way. */
function placeOf(category: string, key: string): string {
  return `${category}/${key}`;
}
