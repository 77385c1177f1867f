import { createHash } from 'node:crypto';

/** Whether bytes are the blob that git calls so: an id is the SHA-1 of kind, length and bytes. */
export function hasId(bytes: Uint8Array, key: Buffer): boolean {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest().equals(key);
}
