import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import type { FsPath } from './pinned-folder.ts';

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

export interface SmallFileOptions {
  readonly followLink: boolean;
  readonly maxBytes: number;
}

/** The bytes of a regular file. Null where there is none to read, or it is past the limit. */
export function readSmallFile(
  at: FsPath,
  { followLink, maxBytes }: SmallFileOptions,
): Uint8Array | null {
  const fd = openOrNull(at, followLink ? 0 : O_NOFOLLOW);
  if (fd === null) return null;
  try {
    const stats = fstatSync(fd);
    return stats.isFile() && stats.size <= maxBytes ? readAtMost(fd, stats.size) : null;
  } finally {
    closeSync(fd);
  }
}

/** No more than it was said to hold: some files of /proc have no size and no end. */
function readAtMost(fd: number, size: number): Uint8Array {
  const buffer = Buffer.alloc(size);
  let length = 0;
  while (length < size) {
    const read = readSync(fd, buffer, length, size - length, length);
    if (read === 0) break;
    length += read;
  }
  return buffer.subarray(0, length);
}

function openOrNull(at: FsPath, flags: number): number | null {
  try {
    // Most of what is asked for is not there, and an error takes longer to make than a look.
    if (lstatSync(at, { throwIfNoEntry: false }) === undefined) return null;
    // O_NONBLOCK: a FIFO in its place must not hang us.
    return openSync(at, O_RDONLY | O_NONBLOCK | flags);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    // Running out of descriptors or a failing disk says nothing about the file: that is an error.
    if (ABSENT_CODES.has(code)) return null;
    throw error;
  }
}

const ABSENT_CODES: ReadonlySet<string> = new Set([
  'ENOENT',
  'ENOTDIR',
  'EACCES',
  'EPERM',
  'ELOOP',
  'ENXIO',
  'ENAMETOOLONG',
]);
