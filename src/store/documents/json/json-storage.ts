import { join } from 'node:path';
import { removeIfThere } from '../../../fs/entries.ts';
import { syncPath, writeFile } from '../../../fs/write-file.ts';
import {
  type BaseStorage,
  checkData,
  checkText,
  documentExists,
  LOCK_TIMEOUT_MS,
  type SaveOptions,
} from '../base-storage.ts';
import { isThereExactly, placeOfProject, refuseTwin } from '../project-folder.ts';
import { CategoryFolders } from './category-folders.ts';
import { documentKeys, documentName, documentText, readDocument } from './document-files.ts';

export interface StorageOptions {
  /** How long to wait for other writers before `store-locked`. Five seconds when left out. */
  readonly lockTimeoutMs?: number | undefined;
}

/**
 * Documents as files for people to read: one for each key, at
 * `{baseDir}/projects/{projectName}/persistence/{category}/{key}.json`. Names stand there as they are, as
 * far as a file can have them (`file-name.ts`), so files that other programs wrote in this layout are read.
 * Writers hold the lock `{key}.json.lock`, which ends with their process.
 */
export class JSONStorage implements BaseStorage {
  readonly #folders: CategoryFolders;

  /**
   * Without a `baseDir` it is `~/.cache/tiny-claude-code`; a `~` at the beginning is the home directory that
   * the environment names. All that is made is private to the user.
   */
  constructor(projectName: string, baseDir?: string, options: StorageOptions = {}) {
    const place = placeOfProject(projectName, baseDir);
    this.#folders = new CategoryFolders(place, options.lockTimeoutMs ?? LOCK_TIMEOUT_MS);
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
    return this.#folders.writing(category, name, ({ pinned, path, waiting }) => {
      const isThere = isThereExactly(pinned, name);
      if (onlyNew && isThere) throw documentExists(category, key);
      if (!isThere) refuseTwin(pinned, name);
      writeFile(pinned.entry(name), Buffer.from(text), { waiting });
      return join(path, name);
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
    return this.#folders.writing(category, name, ({ pinned, lock }) => {
      const isThere = isThereExactly(pinned, name);
      if (isThere) removeIfThere(pinned.entry(name));
      removeIfThere(lock);
      syncPath(pinned.self());
      return isThere;
    });
  }

  async list(category: string): Promise<string[]> {
    checkText('category', category);
    return this.#folders.reading(category, documentKeys) ?? [];
  }

  #has(category: string, name: string): boolean {
    return this.#folders.reading(category, ({ pinned }) => isThereExactly(pinned, name)) ?? false;
  }
}

function nameOf(category: string, key: string): string {
  checkText('category', category);
  return documentName(checkText('key', key));
}
