import { join } from 'node:path';
import { isThere, removeIfThere, syncPath, writeFile } from '../../../fs/write-file.ts';
import { SavepointError } from '../../../model/errors.ts';
import type { BaseStorage, SaveOptions } from '../base-storage.ts';
import { checkData, checkText, documentExists } from '../refusals.ts';
import { CategoryFolders } from './category-folders.ts';
import { type DocumentFolder, readDocument } from './document-file.ts';
import { documentText, documentValue } from './document-text.ts';
import { fileNameOf, isShortened } from './file-name.ts';
import { keysIn, type StorageProblem, SUFFIX } from './keys-in.ts';

export interface JSONStorageOptions {
  /** Any text; a folder is named after it. */
  readonly projectName: string;
  /** Where the folders of projects are made, below `projects`. What is made is private to the user. */
  readonly baseDir: string;
  /** How long to wait for other writers before `store-locked`. Half a minute when left out. */
  readonly lockTimeoutMs?: number | undefined;
  /** Told by `list` of every file that cannot be read back; where it is set, `list` reads them all. */
  readonly onProblem?: ((problem: StorageProblem) => void) | undefined;
}

const LOCK_TIMEOUT_MS = 30_000;

/**
 * Documents as files for people to read: one for each key, at
 * `{baseDir}/projects/{projectName}/persistence/{category}/{key}.json`. Plain names are in there as they
 * are, others escaped (`file-name.ts`). Whoever writes holds a lock that ends with its process.
 */
export class JSONStorage implements BaseStorage {
  readonly #folders: CategoryFolders;
  readonly #onProblem: JSONStorageOptions['onProblem'];

  constructor({ projectName, baseDir, lockTimeoutMs, onProblem }: JSONStorageOptions) {
    checkText('projectName', projectName);
    if (checkText('baseDir', baseDir) === '' || baseDir.includes('\0')) {
      throw new SavepointError('argument-invalid', 'baseDir must name a folder');
    }
    const timeoutMs = lockTimeoutMs ?? LOCK_TIMEOUT_MS;
    this.#folders = new CategoryFolders(baseDir, projectName, timeoutMs);
    this.#onProblem = onProblem;
  }

  /** The folder in which each category has its own. */
  get directory(): string {
    return this.#folders.directory;
  }

  async save(
    category: string,
    key: string,
    data: unknown,
    { onlyNew = false }: SaveOptions = {},
  ): Promise<string> {
    const { name, inside } = placeOf(category, key);
    checkData(data);
    // Before anything is waited for: the caller may go on with the value.
    const text = documentText(data, inside);
    const isTaken = ({ pinned }: DocumentFolder): boolean => isThere(pinned.entry(name));
    // Nobody is waited for in vain; it is looked at again under the lock.
    if (onlyNew && this.#folders.reading(category, isTaken)) throw documentExists(category, key);
    return this.#folders.writing(category, (folder) => {
      if (onlyNew && isTaken(folder)) throw documentExists(category, key);
      writeFile(folder.pinned.entry(name), Buffer.from(text));
      return join(folder.path, name);
    });
  }

  async load(category: string, key: string): Promise<unknown> {
    const { name, inside } = placeOf(category, key);
    return this.#folders.reading(category, (folder) => {
      const text = readDocument(folder, name);
      return text === null ? null : documentValue(text, inside, join(folder.path, name));
    });
  }

  async delete(category: string, key: string): Promise<boolean> {
    const { name } = placeOf(category, key);
    // Nothing is made, and nobody waited for, where there is nothing to remove.
    const isTaken = ({ pinned }: DocumentFolder): boolean => isThere(pinned.entry(name));
    if (!this.#folders.reading(category, isTaken)) return false;
    return this.#folders.writing(category, (folder) => {
      if (!isTaken(folder)) return false;
      removeIfThere(folder.pinned.entry(name));
      syncPath(folder.pinned.self());
      return true;
    });
  }

  async list(category: string): Promise<string[]> {
    checkText('category', category);
    const tell = this.#onProblem;
    const told =
      tell && ((problem: Omit<StorageProblem, 'category'>) => tell({ category, ...problem }));
    return this.#folders.reading(category, (folder) => keysIn(folder, told)) ?? [];
  }
}

interface Place {
  readonly name: string;
  /** The key, where the name does not say it and the file has to; null elsewhere. */
  readonly inside: string | null;
}

function placeOf(category: string, key: string): Place {
  checkText('category', category);
  const name = fileNameOf(checkText('key', key), SUFFIX);
  return { name, inside: isShortened(name, SUFFIX) ? key : null };
}
