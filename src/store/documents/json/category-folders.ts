import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { removeIfThere } from '../../../fs/entries.ts';
import type { FsPath } from '../../../fs/pinned-folder.ts';
import { makePrivateFolder } from '../../../fs/write-file.ts';
import { SavepointError } from '../../../model/errors.ts';
import { type ProjectPlace, typed, using, walkDown } from '../project-folder.ts';
import type { DocumentFolder } from './document-files.ts';
import { withFileLock } from './file-lock.ts';
import { fileNameOf } from './file-name.ts';

/** The folders of a project's categories, and the locks under which their files are written. */
export class CategoryFolders {
  readonly directory: string;
  readonly #baseDir: string;
  readonly #names: readonly string[];
  readonly #lockTimeoutMs: number;
  /** Categories whose folders this object has made, or found and synced. */
  readonly #settled = new Set<string>();

  constructor({ baseDir, names }: ProjectPlace, lockTimeoutMs: number) {
    this.#baseDir = baseDir;
    this.#names = [...names, 'persistence'];
    this.directory = join(baseDir, ...this.#names);
    this.#lockTimeoutMs = lockTimeoutMs;
  }

  /** Runs `work` in the folder of a category; null where there is none. */
  reading<Result>(category: string, work: (folder: DocumentFolder) => Result): Result | null {
    return typed(() => {
      const pinned = walkDown(this.#baseDir, this.#namesOf(category), 'find');
      if (pinned === null) return null;
      return using(pinned, () => work({ pinned, path: this.#pathOf(category) }));
    });
  }

  /** Runs `work` in the folder of a category, which is made for it, while nobody else writes the file. */
  async writing<Result>(
    category: string,
    name: string,
    work: (folder: WritableFolder) => Result,
  ): Promise<Result> {
    const folder = typed(() => this.#make(category));
    return withFileLock(join(folder, lockNameOf(name)), this.#lockTimeoutMs, () =>
      typed(() => this.#work(category, name, work)),
    );
  }

  /** The real path of the folder, by which this process knows its locks. */
  #make(category: string): string {
    if (!this.#settled.has(category)) makePrivateFolder(this.#baseDir);
    // The first time, folders that exist are synced too: the process that made them may have died before.
    const how = this.#settled.has(category) ? 'make' : 'make-sure';
    walkDown(this.#baseDir, this.#namesOf(category), how)?.close();
    this.#settled.add(category);
    return realpathSync(this.#pathOf(category));
  }

  #work<Result>(category: string, name: string, work: (folder: WritableFolder) => Result): Result {
    const pinned = walkDown(this.#baseDir, this.#namesOf(category), 'find');
    if (pinned === null) throw new SavepointError('store-failed', 'the folder was removed');
    return using(pinned, () => {
      const waiting = pinned.entry(temporaryNameOf(name));
      // Only who holds the lock writes there, so the process that left such a file is gone.
      removeIfThere(waiting);
      const lock = pinned.entry(lockNameOf(name));
      return work({ pinned, path: this.#pathOf(category), waiting, lock });
    });
  }

  #namesOf(category: string): string[] {
    return [...this.#names, fileNameOf(category)];
  }

  #pathOf(category: string): string {
    return join(this.directory, fileNameOf(category));
  }
}

/** The folder of a category, held by the writer of one file in it. */
export interface WritableFolder extends DocumentFolder {
  /** Where the file waits until it is whole. */
  readonly waiting: FsPath;
  /** The lock file, which may be removed together with the file. */
  readonly lock: FsPath;
}

function lockNameOf(name: string): string {
  return `${name}.lock`;
}

/** Each file has its own, so that the next writer of the file finds what a killed one left. */
function temporaryNameOf(name: string): string {
  return `.${createHash('sha256').update(name).digest('hex').slice(0, 16)}.tmp`;
}
