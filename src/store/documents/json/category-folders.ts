import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { removeIfThere } from '../../../fs/entries.ts';
import { PinnedFolder } from '../../../fs/pinned-folder.ts';
import { namesIn } from '../../../fs/tree.ts';
import { isTemporary, makePrivateFolder, syncPath } from '../../../fs/write-file.ts';
import { SavepointError } from '../../../model/errors.ts';
import { storeFailure } from '../../sqlite/connection.ts';
import { LockFile } from '../../sqlite/lock.ts';
import type { DocumentFolder } from './document-files.ts';
import { fileNameOf } from './file-name.ts';

// No category's folder begins with a dot.
const LOCK_NAME = '.lock';

/** The folders of a project's categories, and the lock under which they are written. */
export class CategoryFolders {
  readonly directory: string;
  readonly #baseDir: string;
  readonly #names: readonly string[];
  readonly #lockTimeoutMs: number;
  /** Categories whose folders this object has made, or found and synced. */
  readonly #settled = new Set<string>();

  constructor(baseDir: string, projectName: string, lockTimeoutMs: number) {
    this.#baseDir = resolve(baseDir);
    this.#names = ['projects', fileNameOf(projectName), 'persistence'];
    this.directory = join(this.#baseDir, ...this.#names);
    this.#lockTimeoutMs = lockTimeoutMs;
  }

  /** Runs `work` in the folder of a category; null where there is none. */
  reading<Result>(category: string, work: (folder: DocumentFolder) => Result): Result | null {
    return typed(() => {
      const pinned = walkDown(this.#baseDir, this.#namesOf(category), 'find');
      return pinned === null ? null : using(pinned, (one) => work(this.#shown(one, category)));
    });
  }

  /** Runs `work` in the folder of a category, which is made for it, while nobody else writes. */
  async writing<Result>(
    category: string,
    work: (folder: DocumentFolder) => Result,
  ): Promise<Result> {
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
    if (!this.#settled.has(category)) makePrivateFolder(this.#baseDir);
    walkDown(this.#baseDir, this.#names, this.#making(category))?.close();
    const file = join(this.directory, LOCK_NAME);
    // SQLite would follow a link, and make a database of the file behind it.
    if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) throw notOurs(file);
    return new LockFile(file, realpathSync(this.directory));
  }

  #work<Result>(category: string, work: (folder: DocumentFolder) => Result): Result {
    const pinned = walkDown(this.#baseDir, this.#namesOf(category), this.#making(category));
    if (pinned === null) throw new SavepointError('store-failed', 'the folder was removed');
    return using(pinned, () => {
      // Writers hold the lock, so the process that left a temporary file is gone.
      if (!this.#settled.has(category)) removeTemporaries(pinned);
      this.#settled.add(category);
      return work(this.#shown(pinned, category));
    });
  }

  #namesOf(category: string): string[] {
    return [...this.#names, fileNameOf(category)];
  }

  #shown(pinned: PinnedFolder, category: string): DocumentFolder {
    return { pinned, path: join(this.directory, fileNameOf(category)) };
  }

  /** The first time, folders that exist are synced too: the process that made them may have died before. */
  #making(category: string): 'make' | 'make-sure' {
    return this.#settled.has(category) ? 'make' : 'make-sure';
  }
}

/**
 * Walks down through no link from `start`, which the caller vouches for. Where a folder is missing, `find`
 * returns null and `make` makes and syncs it. `make-sure` syncs folders that exist, too.
 */
function walkDown(
  start: string,
  names: readonly string[],
  how: 'find' | 'make' | 'make-sure',
): PinnedFolder | null {
  if (!existsSync(start)) return null;
  let folder: PinnedFolder | null = PinnedFolder.at(start, 'follow-link');
  for (const name of names) {
    const above: PinnedFolder = folder;
    folder = using(above, () => step(above, name, how));
    if (folder === null) return null;
  }
  return folder;
}

function step(
  above: PinnedFolder,
  name: string,
  how: 'find' | 'make' | 'make-sure',
): PinnedFolder | null {
  const found = above.child(name);
  if (how === 'make-sure') syncPath(above.self());
  if (found !== null) return found;
  // Another process may have made it just now.
  const entry = lstatSync(above.entry(name), { throwIfNoEntry: false });
  if (entry !== undefined && !entry.isDirectory()) throw notAFolder(name);
  if (how !== 'find') {
    if (entry === undefined) above.makeChild(name);
    syncPath(above.self());
  }
  return above.child(name);
}

function removeTemporaries(folder: PinnedFolder): void {
  for (const name of namesIn(folder.self()))
    if (isTemporary(name)) removeIfThere(folder.entry(name));
}

function using<Result>(folder: PinnedFolder, work: (folder: PinnedFolder) => Result): Result {
  try {
    return work(folder);
  } finally {
    folder.close();
  }
}

function notAFolder(name: string): SavepointError {
  return new SavepointError('store-failed', 'a file is where a folder of documents should be', {
    path: name,
  });
}

/** Gives errors of the file system a code, because callers branch on codes. */
function typed<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw storeFailure(withoutDescriptor(error));
  }
}

/** Takes the number of a descriptor, which is closed by now, out of the path in a message. */
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
