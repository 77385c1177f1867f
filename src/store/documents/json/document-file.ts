import { join } from 'node:path';
import type { PinnedFolder } from '../../../fs/pinned-folder.ts';
import { readFile } from '../../../fs/read-file.ts';
import { documentCorrupt } from '../refusals.ts';

/** The folder of a category, and its path for people. */
export interface DocumentFolder {
  readonly pinned: PinnedFolder;
  readonly path: string;
}

/** The text of a document, or null where there is none. */
export function readDocument({ pinned, path }: DocumentFolder, name: string): string | null {
  const read = readFile(pinned.entry(name));
  if (read.bytes !== null) return textOf(read.bytes, join(path, name));
  if (read.why === 'missing') return null;
  if (read.why === 'not-allowed') throw read.cause;
  const reason = read.why === 'link' ? 'it is a link, which is not followed' : 'it is no file';
  throw documentCorrupt(join(path, name), reason);
}

function textOf(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw documentCorrupt(path, 'it is not UTF-8', error);
  }
}
