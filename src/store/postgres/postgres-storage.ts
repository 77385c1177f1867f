import type { BaseStorage, SaveOptions } from '../documents/base-storage.ts';
import { ProjectStorage } from '../documents/project-storage.ts';
import { documentStore } from './documents.ts';
import { serverFailure } from './failure.ts';
import { openProject, type PostgresProjectOptions } from './open-project.ts';
import type { OpenedProject } from './opened.ts';

export interface PostgresStorageOptions extends PostgresProjectOptions {
  /** How long to wait for other writers before `store-locked`. Half a minute when left out. */
  readonly lockTimeoutMs?: number | undefined;
}

/**
 * Documents of a project on a PostgreSQL server, by structure: parts that two values have in common are stored once.
 * It connects when it is used for the first time. Every process with the same options sees the same documents.
 */
export class PostgresStorage implements BaseStorage {
  readonly #options: PostgresProjectOptions;
  readonly #documents: ProjectStorage;
  #opened: Promise<OpenedProject> | null = null;

  constructor({ lockTimeoutMs, ...options }: PostgresStorageOptions) {
    this.#options = options;
    const store = { documents: documentStore((work) => this.#run(work)) };
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
    const opened = this.#opened;
    this.#opened = null;
    await opened?.then(({ database }) => database.close()).catch(() => {});
  }

  async #run<Result>(work: (opened: OpenedProject) => Promise<Result>): Promise<Result> {
    this.#opened ??= openProject(this.#options).catch((error) => {
      // The server may be there the next time.
      this.#opened = null;
      throw error;
    });
    try {
      return await work(await this.#opened);
    } catch (error) {
      throw serverFailure(error);
    }
  }
}
