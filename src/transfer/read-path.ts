import { isSavepointError } from '../model/errors.ts';
import { isTextPath, pathToBytes, relativePath, type TrackedPath } from '../model/path.ts';
import { protectionOf } from '../model/protection.ts';
import { invalid } from './refusals.ts';
import type { Reader } from './strict.ts';

/** A path as it is written: its text, or where its bytes are not text `{ bytes: BASE64 }`. */
export type WrittenPath = string | { readonly bytes: string };

export function writePath(path: TrackedPath): WrittenPath {
  if (isTextPath(path)) return path;
  return { bytes: Buffer.from(pathToBytes(path)).toString('base64') };
}

/** Only paths below the project, in the one spelling that we write, and none of git's. */
export const readPath: Reader<TrackedPath> = (name, value) => {
  const given = bytesIn(value) ?? value;
  if (typeof given !== 'string' && !(given instanceof Uint8Array)) {
    throw invalid(`${name} is no path`);
  }
  const path = checked(name, given);
  const isAsWritten = JSON.stringify(writePath(path)) === JSON.stringify(value);
  if (!isAsWritten) throw invalid(`${name} is not in its plain spelling`, { path });
  if (protectionOf(path) === 'git') throw invalid(`${name} belongs to git`, { path });
  return path;
};

function bytesIn(value: unknown): Uint8Array | null {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'bytes')) return null;
  const { bytes } = value as { bytes: unknown };
  return typeof bytes === 'string' ? Buffer.from(bytes, 'base64') : null;
}

function checked(name: string, given: string | Uint8Array): TrackedPath {
  try {
    return relativePath(given);
  } catch (error) {
    if (!isSavepointError(error)) throw error;
    throw invalid(`${name}: ${error.message}`, { path: error.path, cause: error });
  }
}
