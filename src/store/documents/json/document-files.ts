import { join } from 'node:path';
import type { PinnedFolder } from '../../../fs/pinned-folder.ts';
import { readFile } from '../../../fs/read-file.ts';
import { namesIn } from '../../../fs/tree.ts';
import { type Json, jsonToValue, valueToJson } from '../../../model/value/index.ts';
import { documentCorrupt } from '../base-storage.ts';
import { fileNameOf, isShortened, textOfFileName } from './file-name.ts';

/** The folder of a category, and its path for people. */
export interface DocumentFolder {
  readonly pinned: PinnedFolder;
  readonly path: string;
}

const SUFFIX = '.json';

/** The name of the file of a key. Where it had to be cut, the file holds the key beside the value. */
export function documentName(key: string): string {
  return fileNameOf(key, SUFFIX);
}

/** What the file of a key holds: the value, as JSON that people can read. */
export function documentText(key: string, data: unknown): string {
  const value = valueToJson(data, 'data');
  const whole = isShortened(documentName(key), SUFFIX) ? { key, data: value } : value;
  return `${JSON.stringify(whole, null, 2)}\n`;
}

/** The value of a key, or null where there is no file. Throws `document-corrupt`. */
export function readDocument(folder: DocumentFolder, key: string): unknown {
  const name = documentName(key);
  const path = join(folder.path, name);
  const found = readJson(folder, name);
  if (found === null) return null;
  if (!isShortened(name, SUFFIX)) return valueIn(found.json, path);
  const { key: inside, data } = unwrapped(found.json, path);
  if (inside !== key) throw documentCorrupt(path, 'it is that of another key');
  return valueIn(data, path);
}

/** The keys that the files of a folder stand for. */
export function documentKeys(folder: DocumentFolder): string[] {
  return namesIn(folder.pinned.self()).flatMap((name) => {
    // A file that is still being written begins with a dot.
    if (!name.endsWith(SUFFIX) || name.startsWith('.')) return [];
    const key = isShortened(name, SUFFIX) ? keyInside(folder, name) : textOfFileName(name, SUFFIX);
    return key ?? [];
  });
}

/** The key of a file whose name was cut; null where the content is damaged, or names another file. */
function keyInside(folder: DocumentFolder, name: string): string | null {
  try {
    const found = readJson(folder, name);
    const key = found && unwrapped(found.json, join(folder.path, name)).key;
    return key !== null && documentName(key) === name ? key : null;
  } catch {
    return null;
  }
}

/** Null where there is no file. */
function readJson({ pinned, path }: DocumentFolder, name: string): { json: unknown } | null {
  const at = join(path, name);
  const read = readFile(pinned.entry(name));
  if (read.bytes !== null) return { json: parsed(read.bytes, at) };
  if (read.why === 'missing') return null;
  if (read.why === 'not-allowed') throw read.cause;
  const reason = read.why === 'link' ? 'it is a link, which is not followed' : 'it is not a file';
  throw documentCorrupt(at, reason);
}

function parsed(bytes: Uint8Array, path: string): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw documentCorrupt(path, 'it is not UTF-8', error);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw documentCorrupt(path, 'it is not JSON', error);
  }
}

/** The content of a file with a shortened name. */
function unwrapped(json: unknown, path: string): { readonly key: string; readonly data: unknown } {
  const { key, data } = Object(json) as { readonly key?: unknown; readonly data?: unknown };
  if (typeof key !== 'string') throw documentCorrupt(path, 'its key is missing');
  return { key, data };
}

function valueIn(json: unknown, path: string): unknown {
  let value: unknown;
  try {
    value = jsonToValue(json as Json);
  } catch (error) {
    throw documentCorrupt(path, (error as Error).message, error);
  }
  if (value === null || value === undefined) throw documentCorrupt(path, 'there is no value in it');
  return value;
}
