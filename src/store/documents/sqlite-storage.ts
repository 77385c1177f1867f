import { isSavepointError, type SavepointError } from '../../model/errors.ts';
import type { Store } from '../store.ts';
import type { BaseStorage, SaveOptions } from './base-storage.ts';
import { DocumentStore } from './document-store.ts';
import { checkData, checkText, documentCorrupt, documentExists } from './refusals.ts';

export interface SQLiteStorageOptions {
  /** The project's own; whoever opened it closes it. */
  readonly store: Store;
  /** How long to wait for other writers before `store-locked`. Half a minute when left out. */
  readonly lockTimeoutMs?: number | undefined;
  readonly now?: (() => number) | undefined;
}

const LOCK_TIMEOUT_MS = 30_000;

/**
 * Documents in the project's database, by structure: what two values have in common is stored once, and one
 * that is saved again costs what changed.
 */
export class SQLiteStorage implements BaseStorage {
  readonly #documents: DocumentStore;

  constructor({ store, lockTimeoutMs, now }: SQLiteStorageOptions) {
    const options = { now: now ?? Date.now, lockTimeoutMs: lockTimeoutMs ?? LOCK_TIMEOUT_MS };
    this.#documents = new DocumentStore(store, options);
  }

  async save(
    category: string,
    key: string,
    data: unknown,
    { onlyNew = false }: SaveOptions = {},
  ): Promise<string> {
    checkNames(category, key);
    checkData(data);
    const options = { name: 'data', onlyNew };
    const isSaved = await this.#documents.save(category, key, data, options);
    if (!isSaved) throw documentExists(category, key);
    return placeOf(category, key);
  }

  async load(category: string, key: string): Promise<unknown> {
    checkNames(category, key);
    try {
      return (await this.#documents.load(category, key))?.value ?? null;
    } catch (error) {
      if (!isDamage(error)) throw error;
      throw documentCorrupt(placeOf(category, key), error.message, error);
    }
  }

  async delete(category: string, key: string): Promise<boolean> {
    checkNames(category, key);
    return this.#documents.delete(category, key);
  }

  async list(category: string): Promise<string[]> {
    checkText('category', category);
    return this.#documents.keys(category);
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

function isDamage(error: unknown): error is SavepointError {
  const codes = ['part-missing', 'part-corrupt', 'value-invalid'] as const;
  return codes.some((code) => isSavepointError(error, code));
}
