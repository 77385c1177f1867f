import type { BlobId } from '../ids.ts';
import type { Captured, Unknown } from '../state.ts';

/** A file whose bytes git holds: nothing was read or copied, so there is no SHA-256 of it yet. */
export interface HeldByGit {
  readonly kind: 'git';
  readonly mode: number;
  readonly size: number;
  /** The object's id, 20 bytes. */
  readonly key: Uint8Array;
}

/** What lay at a path when the baseline was made. */
export type BaselineState = Captured | Unknown | HeldByGit;

/** The kinds of entries as they are stored; from `UNKNOWN` on, the rest is the reason. */
export const DIRECTORY = 0;
export const FILE = 1;
export const SYMLINK = 2;
export const GIT = 3;
export const UNKNOWN = 16;

/** A SHA-256; the id of a git object takes its first bytes. */
export const KEY_BYTES = 32;
export const GIT_KEY_BYTES = 20;

export function blobToKey(id: BlobId): Uint8Array {
  const key = new Uint8Array(KEY_BYTES);
  for (let at = 0; at < KEY_BYTES; at += 1) {
    key[at] = digit(id.charCodeAt(at * 2)) * 16 + digit(id.charCodeAt(at * 2 + 1));
  }
  return key;
}

export function keyToBlob(key: Uint8Array): BlobId {
  let id = '';
  for (const byte of key) id += DIGIT_PAIRS[byte];
  return id as BlobId;
}

const DIGIT_PAIRS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** The value of a lower-case hexadecimal digit. */
function digit(code: number): number {
  return code < 0x3a ? code - 0x30 : code - 0x57;
}
