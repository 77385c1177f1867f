import { closeSync, constants, fstatSync, lstatSync, openSync, read, readSync } from 'node:fs';
import { promisify } from 'node:util';
import type { FsPath } from './pinned-folder.ts';

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
const PAGE = 4096;
const GROWTH = 64 * 1024;
const CHUNK_BYTES = 256 * 1024;
const readOnPool = promisify(read);

export interface ReadOptions {
  /** Read the file that a link points to. Otherwise a link does not count as a file. */
  readonly followLink?: boolean | undefined;
  /** A larger file is not read. */
  readonly maxBytes?: number | undefined;
}

/** Why a file was not read. */
export interface Unread {
  readonly bytes: null;
  readonly why: 'missing' | 'link' | 'not-a-file' | 'too-large' | 'not-allowed';
  /** The error of the file system, if there was one. */
  readonly cause?: NodeJS.ErrnoException;
}

/**
 * The bytes of a regular file, or the reason why there are none. Throws where the reason says nothing about
 * the file: no descriptor is left, or the disk fails.
 */
export function readFile(
  at: FsPath,
  options: ReadOptions = {},
): { readonly bytes: Buffer } | Unread {
  const file = openFile(at, options);
  if (!(file instanceof OpenFile)) return file;
  try {
    const bytes = readToEnd(file, options.maxBytes ?? Number.MAX_SAFE_INTEGER);
    return bytes === null ? { bytes, why: 'too-large' } : { bytes };
  } finally {
    file.close();
  }
}

/** The bytes of a regular file; null where it cannot be read, for any of these reasons. */
export function readFileOrNull(at: FsPath, options: ReadOptions): Buffer | null {
  // Most of these files do not exist, and an error takes longer to make than a look.
  return isMissing(at) ? null : readFile(at, options).bytes;
}

/** The last bytes of a regular file; null where it cannot be read. */
export function readEnd(at: FsPath, most: number): Buffer | null {
  const file = openFile(at);
  if (!(file instanceof OpenFile)) return null;
  try {
    const length = Math.min(file.size, most);
    const buffer = Buffer.allocUnsafe(length);
    return buffer.subarray(0, readSync(file.fd, buffer, 0, length, file.size - length));
  } finally {
    file.close();
  }
}

/** A regular file that is open: another one under its name is not read instead. */
export class OpenFile {
  readonly fd: number;
  readonly size: number;

  constructor(fd: number, size: number) {
    this.fd = fd;
    this.size = size;
  }

  /** From the beginning, each time. `tell` hears before each chunk how many bytes of how many are behind it. */
  async *chunks(
    tell?: (done: number, total: number) => Promise<void> | undefined,
  ): AsyncGenerator<Uint8Array> {
    for (let position = 0; ; ) {
      const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
      const { bytesRead } = await readOnPool(this.fd, buffer, 0, CHUNK_BYTES, position);
      if (bytesRead === 0) return;
      await tell?.(position, this.size);
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  close(): void {
    closeSync(this.fd);
  }
}

/** Opens a regular file to read it. The caller closes it. */
export function openFile(
  at: FsPath,
  { followLink = false }: Pick<ReadOptions, 'followLink'> = {},
): OpenFile | Unread {
  let fd: number;
  try {
    // O_NONBLOCK: a FIFO in its place must not hang us.
    fd = openSync(at, O_RDONLY | O_NONBLOCK | (followLink ? 0 : O_NOFOLLOW));
  } catch (error) {
    return unread(error as NodeJS.ErrnoException);
  }
  const stats = fstatSync(fd);
  if (stats.isFile()) return new OpenFile(fd, stats.size);
  closeSync(fd);
  return { bytes: null, why: 'not-a-file' };
}

/** Some files of /proc say that they hold nothing, and do. Null past the limit. */
function readToEnd({ fd, size }: OpenFile, limit: number): Buffer | null {
  if (size > limit) return null;
  // One byte more than there should be: to get less means that the file ends there.
  let buffer = Buffer.allocUnsafe(size === 0 ? PAGE : size + 1);
  let length = 0;
  for (;;) {
    const wanted = buffer.length - length;
    const read = readSync(fd, buffer, length, wanted, length);
    length += read;
    if (length > limit) return null;
    if (read === 0 || (length === size && read < wanted)) return buffer.subarray(0, length);
    if (length === buffer.length) buffer = Buffer.concat([buffer], length + GROWTH);
  }
}

function isMissing(at: FsPath): boolean {
  try {
    return lstatSync(at, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

const REASONS: Readonly<Record<string, Unread['why']>> = {
  ENOENT: 'missing',
  ENOTDIR: 'missing',
  ENAMETOOLONG: 'missing',
  ELOOP: 'link',
  ENXIO: 'not-a-file',
  EACCES: 'not-allowed',
  EPERM: 'not-allowed',
};

function unread(cause: NodeJS.ErrnoException): Unread {
  const why = REASONS[cause.code ?? ''];
  if (why === undefined) throw cause;
  return { bytes: null, why, cause };
}
