import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isSavepointError, SavepointError } from '../index.ts';

export interface NewFile {
  readonly path: string;
  /** Replace a file that is there. */
  readonly force: boolean;
}

/** Where somebody may end the process with a key: what has to be tidied up then. */
export interface Interruptible {
  onInterrupt(tidy: () => void): () => void;
}

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/**
 * Writes what a stream gives into a file that nobody else can read. It waits under another name and gets
 * its own when it is whole and on the disk, so there is never half of one. Gives what the stream returned,
 * and the number of bytes.
 */
export async function writeNewFile<Result>(
  file: NewFile,
  stream: AsyncIterator<Uint8Array, Result>,
  interrupts: Interruptible,
): Promise<{ readonly result: Result; readonly bytes: number }> {
  refuseToReplace(file);
  const waiting = join(
    dirname(file.path),
    `.${basename(file.path).slice(0, 200)}.${randomBytes(4).toString('hex')}.part`,
  );
  const remove = (): void => rmSync(waiting, { force: true });
  const forget = interrupts.onInterrupt(remove);
  try {
    const written = await fill(waiting, stream);
    giveName(waiting, file);
    syncFolder(dirname(file.path));
    return written;
  } catch (error) {
    throw failed(error, file);
  } finally {
    remove();
    forget();
  }
}

async function fill<Result>(
  waiting: string,
  stream: AsyncIterator<Uint8Array, Result>,
): Promise<{ readonly result: Result; readonly bytes: number }> {
  const fd = openOrRefuse(waiting);
  try {
    for (let bytes = 0; ; ) {
      const { value, done } = await stream.next();
      if (done) {
        fsyncSync(fd);
        return { result: value, bytes };
      }
      for (let at = 0; at < value.length; ) at += writeSync(fd, value, at);
      bytes += value.length;
    }
  } finally {
    closeSync(fd);
  }
}

/** No room, no permission: nobody but the person at the command line can help. */
function failed(error: unknown, { path }: NewFile): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (isSavepointError(error) || syscall === undefined) return error;
  const message = `the file cannot be written (${code})`;
  return new SavepointError('file-failed', message, { path, cause: error });
}

function openOrRefuse(waiting: string): number {
  try {
    return openSync(waiting, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
    const path = dirname(waiting);
    throw new SavepointError('file-missing', 'there is no such folder', { path });
  }
}

/** Only a plain file is ever replaced: not what a link points to, and no device. */
function refuseToReplace({ path, force }: NewFile): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || (force && stats.isFile())) return;
  throw exists(path, stats.isFile());
}

function giveName(waiting: string, file: NewFile): void {
  refuseToReplace(file);
  if (file.force) {
    renameSync(waiting, file.path);
    return;
  }
  try {
    // Unlike a rename, a link never takes the place of what came meanwhile.
    linkSync(waiting, file.path);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw exists(file.path, true);
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(code)) throw error;
    // File systems without hard links: a small window between the look and the rename.
    refuseToReplace(file);
    renameSync(waiting, file.path);
  }
}

function syncFolder(folder: string): void {
  const fd = openSync(folder, constants.O_RDONLY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function exists(path: string, isFile: boolean): SavepointError {
  return isFile
    ? new SavepointError('file-exists', 'the file is there already', {
        path,
        hint: 'choose another name, or replace it with --force',
      })
    : new SavepointError('file-exists', 'something that is not a plain file is there', {
        path,
        hint: 'choose another name',
      });
}
