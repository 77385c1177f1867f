import type { Dirent } from 'node:fs';
import { isSavepointError } from '../../../model/errors.ts';
import { readDocument } from './document-file.ts';
import { documentValue, keyInside } from './document-text.ts';
import { fileNameOf, isShortened, textOfFileName } from './file-name.ts';
import type { HeldFolder } from './held-folder.ts';

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
export function keysIn(folder: HeldFolder, tell: TellProblem | undefined): string[] {
  const documents = folder.entries().filter(isDocument);
  return documents.flatMap((entry) => {
    const path = folder.pathOf(entry.name);
    const refuse = (key: string | null, message: string): void => tell?.({ key, path, message });
    try {
      const key = keyOf(folder, entry);
      if (key === null) refuse(null, 'no key has a file of this name');
      else if (tell !== undefined) lookAt(folder, entry, key, refuse);
      return key === null ? [] : [key];
    } catch (error) {
      // Its name was cut and its content is damaged: nobody knows its key.
      refuse(null, messageOf(error));
      return [];
    }
  });
}

/** What we write while it is not whole begins with a dot. */
function isDocument({ name }: Dirent): boolean {
  return name.endsWith(SUFFIX) && !name.startsWith('.');
}

/** Null for a name that we give to no key. */
function keyOf(folder: HeldFolder, { name }: Dirent): string | null {
  if (!isShortened(name, SUFFIX)) return textOfFileName(name, SUFFIX);
  const text = readDocument(folder, name);
  const key = text === null ? null : keyInside(text, folder.pathOf(name));
  return key !== null && fileNameOf(key, SUFFIX) === name ? key : null;
}

function lookAt(
  folder: HeldFolder,
  { name }: Dirent,
  key: string,
  refuse: (key: string, message: string) => void,
): void {
  try {
    const text = readDocument(folder, name);
    const inside = isShortened(name, SUFFIX) ? key : null;
    // What was deleted meanwhile is no damage.
    if (text !== null) documentValue(text, inside, folder.pathOf(name));
  } catch (error) {
    refuse(key, messageOf(error));
  }
}

function messageOf(error: unknown): string {
  if (isSavepointError(error)) return error.message;
  return error instanceof Error ? error.message : String(error);
}
