import { inflateSync } from 'node:zlib';
import { Damaged } from './damaged.ts';

const MAX_CHUNK_BYTES = 1024 * 1024;

/** How many bytes zlib makes of so many at most, whatever its settings. */
export function mostDeflated(size: number): number {
  return size + Math.ceil(size / 8) + Math.ceil(size / 64) + 64;
}

/** Exactly `size` bytes from the start of `deflated`; what follows their end does not count. */
export function inflate(deflated: Uint8Array, size: number): Uint8Array {
  const chunkSize = Math.min(Math.max(size, 64), MAX_CHUNK_BYTES);
  const bytes = inflateSync(deflated, { maxOutputLength: Math.max(size, 1), chunkSize });
  if (bytes.length !== size) throw new Damaged('an object that is shorter than it says');
  return bytes;
}
