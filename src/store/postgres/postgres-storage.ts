import type { BaseStorage, SaveOptions } from '../documents/base-storage.ts';
import { ProjectStorage } from '../documents/project-storage.ts';
import type { DocumentStore, Store } from '../store.ts';
import { type PostgresStoreOptions, postgresStore } from './postgres-store.ts';

export interface PostgresStorageOptions extends PostgresStoreOptions {
  /** How long to wait for other writers before `store-locked`. Half a minute when left out. */
  readonly lockTimeoutMs?: number | undefined;
}

/**
 * Documents of a project on a PostgreSQL server, by structure: parts that two values have in common are stored once.
 * It connects when it is used for the first time. Every process with the same options sees the same documents.
 */
export class PostgresStorage implements BaseStorage {
  readonly #options: PostgresStoreOptions;
  readonly #documents: ProjectStorage;
  #store: Promise<Store> | null = null;

  constructor({ lockTimeoutMs, ...options }: PostgresStorageOptions) {
    this.#options = options;
    const store = { documents: connecting(() => this.#connected()) };
    this.#documents = new ProjectStorage({ store, lockTimeoutMs });
  }

  save(category: string, key: string, data: unknown, options?: SaveOptions): Promise<string> {
    return this.#documents.save(category, key, data, options);
  }

  load(category: string, key: string): Promise<unknown> {
    return this.#documents.load(category, key);
  }

  delete(category: string, key: string): Promise<boolean> {
    return this.#documents.delete(category, key);
  }

  list(category: string): Promise<string[]> {
    return this.#documents.list(category);
  }

  /** Ends its connections. Idempotent; the next call connects again. */
  async close(): Promise<void> {
    const store = this.#store;
    this.#store = null;
    await store?.then((one) => one.close()).catch(() => {});
  }

  #connected(): Promise<Store> {
    this.#store ??= postgresStore(this.#options).catch((error) => {
      // The server may be there the next time.
      this.#store = null;
      throw error;
    });
    return this.#store;
  }
}

function connecting(store: () => Promise<Store>): DocumentStore {
  return {
    put: async (write, options) => (await store()).documents.put(write, options),
    remove: async (...name) => (await store()).documents.remove(...name),
    list: async (...name) => (await store()).documents.list(...name),
    read: async (...name) => (await store()).documents.read(...name),
    readParts: async (root) => (await store()).documents.readParts(root),
  };
}
