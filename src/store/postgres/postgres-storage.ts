import { ProjectStorage } from '../documents/project-storage.ts';
import type { OpenedProject } from './database.ts';
import { documentStore } from './documents.ts';
import { serverFailure } from './failure.ts';
import { openProject, type PostgresProjectOptions } from './open-project.ts';

export interface PostgresStorageOptions extends PostgresProjectOptions {
  /** How long to wait for other writers before `store-locked`. Half a minute when left out. */
  readonly lockTimeoutMs?: number | undefined;
}

/**
 * Documents of a project on a PostgreSQL server, by structure: parts that two values have in common are stored once.
 * It connects when it is used for the first time. Every process with the same options sees the same documents.
 */
export class PostgresStorage extends ProjectStorage {
  readonly #place: Place;

  constructor({ lockTimeoutMs, ...options }: PostgresStorageOptions) {
    const place = new Place(options);
    super({ store: { documents: documentStore((work) => place.run(work)) }, lockTimeoutMs });
    this.#place = place;
  }

  /** Ends its connections. Idempotent; the next call connects again. */
  close(): Promise<void> {
    return this.#place.close();
  }
}

/** A project on the server, which is connected to while somebody uses it. */
class Place {
  readonly #options: PostgresProjectOptions;
  #opened: Promise<OpenedProject> | null = null;

  constructor(options: PostgresProjectOptions) {
    this.#options = options;
  }

  async run<Result>(work: (opened: OpenedProject) => Promise<Result>): Promise<Result> {
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

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = null;
    await opened?.then(({ database }) => database.close()).catch(() => {});
  }
}
