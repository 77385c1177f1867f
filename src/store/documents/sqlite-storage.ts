import { isSavepointError, type SavepointError } from '../../model/errors.ts';
import type { PartId } from '../../model/ids.ts';
import { assemble } from '../parts/assemble.ts';
import { DocumentPacker } from '../parts/document-packer.ts';
import type { Batch, Store } from '../store.ts';
import type { BaseStorage, SaveOptions } from './base-storage.ts';
import { checkData, checkText, documentCorrupt, documentExists } from './refusals.ts';

/** What a storage needs of the store that its documents lie in. */
export type DocumentStore = Pick<
  Store,
  'lock' | 'seq' | 'commit' | 'document' | 'documents' | 'readParts'
>;

export interface SQLiteStorageOptions {
  /** The project's own; whoever opened it closes it. */
  readonly store: DocumentStore;
  /** How long to wait for other writers before `store-locked`. Half a minute when left out. */
  readonly lockTimeoutMs?: number | undefined;
  readonly now?: (() => number) | undefined;
}

const LOCK_TIMEOUT_MS = 30_000;
// A value that is replaced, and cleaned up after, between two looks at it.
const MOST_LOOKS = 5;

/**
 * Documents in the project's database, by structure: what two values have in common is stored once, and one
 * that is saved again costs what changed.
 */
export class SQLiteStorage implements BaseStorage {
  readonly #store: DocumentStore;
  readonly #lockTimeoutMs: number;
  readonly #now: () => number;

  constructor({ store, lockTimeoutMs, now }: SQLiteStorageOptions) {
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
    checkText('category', category);
    checkText('key', key);
    checkData(data);
    // Before anything is waited for: the caller may go on with the value.
    const { root, parts } = new DocumentPacker().pack(data, 'data');
    const isTaken = async (): Promise<boolean> => onlyNew && (await this.#has(category, key));
    if (await isTaken()) throw documentExists(category, key);
    await this.#writing(async () => {
      if (await isTaken()) throw documentExists(category, key);
      return { parts, documents: [{ category, key, root, savedAt: this.#now() }] };
    });
    return placeOf(category, key);
  }

  async load(category: string, key: string): Promise<unknown> {
    checkText('category', category);
    checkText('key', key);
    let seen: PartId | null = null;
    for (let look = 1; ; look += 1) {
      const found = await this.#store.document(category, key);
      if (found === null) return null;
      try {
        return assemble(found.root, await this.#store.readParts(found.root));
      } catch (error) {
        if (!isDamage(error)) throw error;
        // Its parts may have gone with it, since it was replaced while we looked.
        if (found.root === seen || look === MOST_LOOKS) throw damaged(category, key, error);
        seen = found.root;
      }
    }
  }

  async delete(category: string, key: string): Promise<boolean> {
    checkText('category', category);
    checkText('key', key);
    if (!(await this.#has(category, key))) return false;
    return this.#writing(async () => {
      const isThere = await this.#has(category, key);
      return isThere ? { removedDocuments: [{ category, key }] } : null;
    });
  }

  async list(category: string): Promise<string[]> {
    checkText('category', category);
    return (await this.#store.documents(category)).map(({ key }) => key);
  }

  async #has(category: string, key: string): Promise<boolean> {
    return (await this.#store.document(category, key)) !== null;
  }

  /** Commits what is made under the project lock, if anything is. */
  async #writing(make: () => Promise<Omit<Batch, 'base'> | null>): Promise<boolean> {
    const lock = await this.#store.lock({ timeoutMs: this.#lockTimeoutMs });
    try {
      const batch = await make();
      if (batch !== null) await this.#store.commit({ base: await this.#store.seq(), ...batch });
      return batch !== null;
    } finally {
      lock.release();
    }
  }
}

/** For people; a category and a key can read the same in another way. */
function placeOf(category: string, key: string): string {
  return `${category}/${key}`;
}

function isDamage(error: unknown): error is SavepointError {
  const codes = ['part-missing', 'part-corrupt', 'value-invalid'] as const;
  return codes.some((code) => isSavepointError(error, code));
}

function damaged(category: string, key: string, cause: SavepointError): SavepointError {
  return documentCorrupt(placeOf(category, key), cause.message, cause);
}
