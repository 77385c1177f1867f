import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { Damaged } from './damaged.ts';

/** Gives `use` an open file and its size. What is linked here was made by others: it may be a FIFO. */
export function withFile<Result>(
  path: string,
  use: (descriptor: number, size: number) => Result,
): Result {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new Damaged('a file that is none');
    return use(descriptor, stats.size);
  } finally {
    closeSync(descriptor);
  }
}

/** The bytes of a file of at most `limit` bytes. */
export function readWhole(path: string, limit: number): Buffer {
  return withFile(path, (descriptor, size) => {
    if (size > limit) throw new Damaged('a file that is too large');
    return readFileSync(descriptor);
  });
}
