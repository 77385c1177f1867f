import { join } from 'node:path';
import { listFolder } from '../../../fs/tree.ts';
import { isSavepointError } from '../../../model/errors.ts';
import { type DocumentFolder, readDocument } from './document-file.ts';
import { documentValue, keyInside } from './document-text.ts';
import { fileNameOf, isShortened, textOfFileName } from './file-name.ts';

/** A file that cannot be read back, or that we would not have made. */
export interface StorageProblem {
  readonly category: string;
  /** Null where the file's name does not say it. */
  readonly key: string | null;
  readonly path: string;
  readonly message: string;
}

export type TellProblem = (problem: Omit<StorageProblem, 'category'>) => void;

export const SUFFIX = '.json';

/** The keys that the files of a folder stand for. Contents are looked at only where somebody is told. */
export function keysIn(folder: DocumentFolder, tell: TellProblem | undefined): string[] {
  const names = listFolder(folder.pinned).filter(isDocument);
  return names.flatMap((name) => {
    const path = join(folder.path, name);
    const refuse = (key: string | null, message: string): void => tell?.({ key, path, message });
    try {
      const key = keyOf(folder, name);
      if (key === null) refuse(null, 'no key has a file of this name');
      else if (tell !== undefined) lookAt(folder, name, key, refuse);
      return key === null ? [] : [key];
    } catch (error) {
      // Its name was cut and its content is damaged: nobody knows its key.
      refuse(null, messageOf(error));
      return [];
    }
  });
}

/** What we write while it is not whole begins with a dot. */
function isDocument(name: string): boolean {
  return name.endsWith(SUFFIX) && !name.startsWith('.');
}

/** Null for a name that we give to no key. */
function keyOf(folder: DocumentFolder, name: string): string | null {
  if (!isShortened(name, SUFFIX)) return textOfFileName(name, SUFFIX);
  const text = readDocument(folder, name);
  const key = text === null ? null : keyInside(text, join(folder.path, name));
  return key !== null && fileNameOf(key, SUFFIX) === name ? key : null;
}

function lookAt(
  folder: DocumentFolder,
  name: string,
  key: string,
  refuse: (key: string, message: string) => void,
): void {
  try {
    const text = readDocument(folder, name);
    const inside = isShortened(name, SUFFIX) ? key : null;
    // What was deleted meanwhile is no damage.
    if (text !== null) documentValue(text, inside, join(folder.path, name));
  } catch (error) {
    refuse(key, messageOf(error));
  }
}

function messageOf(error: unknown): string {
  if (isSavepointError(error)) return error.message;
  return error instanceof Error ? error.message : String(error);
}
