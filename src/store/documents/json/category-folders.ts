import { lstatSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SavepointError } from '../../../model/errors.ts';
import { makeDurableDirectory } from '../../sqlite/durable-files.ts';
import { storeFailure } from '../../sqlite/failures.ts';
import { LockFile } from '../../sqlite/project-lock.ts';
import { sweepTemporaries } from './document-file.ts';
import { fileNameOf } from './file-name.ts';
import { type HeldFolder, walkDown } from './held-folder.ts';

// No category's folder begins with a dot.
const LOCK_NAME = '.lock';

/** The folders of a project's categories, and the lock that its writers take turns by. */
export class CategoryFolders {
  readonly directory: string;
  readonly #baseDir: string;
  readonly #names: readonly string[];
  readonly #lockTimeoutMs: number;
  /** Categories whose folder this object has made sure of. */
  readonly #settled = new Set<string>();

  constructor(baseDir: string, projectName: string, lockTimeoutMs: number) {
    this.#baseDir = resolve(baseDir);
    this.#names = ['projects', fileNameOf(projectName), 'persistence'];
    this.directory = join(this.#baseDir, ...this.#names);
    this.#lockTimeoutMs = lockTimeoutMs;
  }

  /** Runs `work` in the folder of a category; null where there is none. */
  reading<Result>(category: string, work: (folder: HeldFolder) => Result): Result | null {
    return typed(() => {
      const names = [...this.#names, fileNameOf(category)];
      const folder = walkDown(this.#baseDir, names);
      return folder === null ? null : using(folder, work);
    });
  }

  /** Runs `work` in the folder of a category, which is made for it, while nobody else writes. */
  async writing<Result>(category: string, work: (folder: HeldFolder) => Result): Promise<Result> {
    const lock = typed(() => this.#openLock(category));
    try {
      const held = await lock.acquire({ timeoutMs: this.#lockTimeoutMs });
      try {
        return typed(() => this.#work(category, work));
      } finally {
        held.release();
      }
    } finally {
      lock.close();
    }
  }

  #openLock(category: string): LockFile {
    if (!this.#settled.has(category)) makeDurableDirectory(this.#baseDir);
    walkDown(this.#baseDir, this.#names, this.#making(category))?.close();
    const file = join(this.directory, LOCK_NAME);
    // SQLite would follow it, and make a database out of whatever is there.
    if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) throw notOurs(file);
    return new LockFile(file, realpathSync(this.directory));
  }

  #work<Result>(category: string, work: (folder: HeldFolder) => Result): Result {
    const names = [...this.#names, fileNameOf(category)];
    const folder = walkDown(this.#baseDir, names, this.#making(category));
    if (folder === null) throw new SavepointError('store-failed', 'the folder was removed');
    return using(folder, () => {
      // What is there under the lock belongs to processes that died.
      if (!this.#settled.has(category)) sweepTemporaries(folder);
      this.#settled.add(category);
      return work(folder);
    });
  }

  /** At first, folders are synced as well that are there: who made them may have died before that. */
  #making(category: string): 'make' | 'make-sure' {
    return this.#settled.has(category) ? 'make' : 'make-sure';
  }
}

function using<Result>(folder: HeldFolder, work: (folder: HeldFolder) => Result): Result {
  try {
    return work(folder);
  } finally {
    folder.close();
  }
}

/** Callers branch on codes: whatever the file system throws becomes one. */
function typed<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw storeFailure(withoutDescriptor(error));
  }
}

/** The descriptor through which we went tells nobody anything, and is closed by now. */
function withoutDescriptor(error: unknown): unknown {
  if (error instanceof Error && !(error instanceof SavepointError)) {
    error.message = error.message.replaceAll(/\/proc\/self\/fd\/\d+\//g, '');
  }
  return error;
}

function notOurs(path: string): SavepointError {
  return new SavepointError('store-failed', 'the lock of a folder of documents is a link', {
    path,
  });
}
