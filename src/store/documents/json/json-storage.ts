import { join } from 'node:path';
import { isThere, removeIfThere } from '../../../fs/entries.ts';
import { syncPath, writeFile } from '../../../fs/write-file.ts';
import { SavepointError } from '../../../model/errors.ts';
import {
  type BaseStorage,
  checkData,
  checkText,
  documentExists,
  LOCK_TIMEOUT_MS,
  type SaveOptions,
} from '../base-storage.ts';
import { CategoryFolders } from './category-folders.ts';
import {
  type DocumentFolder,
  documentKeys,
  documentName,
  documentText,
  readDocument,
} from './document-files.ts';

export interface JSONStorageOptions {
  /** Any text; a folder is named after it. */
  readonly projectName: string;
  /** Where the folders of projects are made, below `projects`. What is made is private to the user. */
  readonly baseDir: string;
  /** How long to wait for other writers before `store-locked`. Half a minute when left out. */
  readonly lockTimeoutMs?: number | undefined;
}

/**
 * Documents as files for people to read: one for each key, at
 * `{baseDir}/projects/{projectName}/persistence/{category}/{key}.json`. Plain names are in there as they
 * are, others escaped (`file-name.ts`). Writers hold a lock that ends with their process.
 */
export class JSONStorage implements BaseStorage {
  readonly #folders: CategoryFolders;

  constructor({ projectName, baseDir, lockTimeoutMs }: JSONStorageOptions) {
    checkText('projectName', projectName);
    if (checkText('baseDir', baseDir) === '' || baseDir.includes('\0')) {
      throw new SavepointError('argument-invalid', 'baseDir must name a folder');
    }
    this.#folders = new CategoryFolders(baseDir, projectName, lockTimeoutMs ?? LOCK_TIMEOUT_MS);
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
    const name = nameOf(category, key);
    checkData(data);
    // Written down before anything is waited for: the caller may go on changing the value.
    const text = documentText(key, data);
    // Nobody is waited for in vain; under the lock it is looked at again.
    if (onlyNew && this.#has(category, name)) throw documentExists(category, key);
    return this.#folders.writing(category, (folder) => {
      if (onlyNew && isIn(folder, name)) throw documentExists(category, key);
      writeFile(folder.pinned.entry(name), Buffer.from(text));
      return join(folder.path, name);
    });
  }

  async load(category: string, key: string): Promise<unknown> {
    nameOf(category, key);
    return this.#folders.reading(category, (folder) => readDocument(folder, key));
  }

  async delete(category: string, key: string): Promise<boolean> {
    const name = nameOf(category, key);
    // Nothing is made, and nobody waited for, where there is nothing to remove.
    if (!this.#has(category, name)) return false;
    return this.#folders.writing(category, (folder) => {
      if (!isIn(folder, name)) return false;
      removeIfThere(folder.pinned.entry(name));
      syncPath(folder.pinned.self());
      return true;
    });
  }

  async list(category: string): Promise<string[]> {
    checkText('category', category);
    return this.#folders.reading(category, documentKeys) ?? [];
  }

  #has(category: string, name: string): boolean {
    return this.#folders.reading(category, (folder) => isIn(folder, name)) ?? false;
  }
}

function isIn({ pinned }: DocumentFolder, name: string): boolean {
  return isThere(pinned.entry(name));
}

function nameOf(category: string, key: string): string {
  checkText('category', category);
  return documentName(checkText('key', key));
}
