import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { kindOf } from '../fs/entries.ts';
import { beginNameless } from '../fs/nameless-file.ts';
import { OpenFile, openFile, type Unread } from '../fs/read-file.ts';
import { FileWriter } from '../fs/write-file.ts';
import { isSavepointError, SavepointError } from '../index.ts';

export interface NewFile {
  readonly path: string;
  /** Replace a file that is there. */
  readonly force: boolean;
}

/** Runs `tidy` if a signal ends the process in the meantime. */
export interface Interruptible {
  onInterrupt(tidy: () => void): () => void;
}

/**
 * Writes what a stream gives into a file that nobody else can read, wholly or not at all, also where the process
 * is killed. Gives what the stream returned, and the number of bytes.
 */
export async function writeNewFile<Result>(
  file: NewFile,
  stream: AsyncIterator<Uint8Array, Result>,
  interrupts: Interruptible,
): Promise<{ readonly result: Result; readonly bytes: number }> {
  refuseToReplace(file);
  try {
    const writer = openWriter(file);
    const forget = interrupts.onInterrupt(() => writer.discard());
    try {
      for (let bytes = 0; ; ) {
        const { value, done } = await stream.next();
        if (done) {
          writer.finish();
          return { result: value, bytes };
        }
        writer.append(value);
        bytes += value.length;
      }
    } finally {
      writer.discard();
      forget();
    }
  } catch (error) {
    throw failed(error, file);
  }
}

function openWriter(file: NewFile): FileWriter {
  try {
    const beforeNaming = (): void => refuseToReplace(file);
    const waiting = join(dirname(file.path), `.${randomBytes(8).toString('hex')}.tmp`);
    const nameless = beginNameless(dirname(file.path), waiting);
    return new FileWriter(file.path, { onlyNew: !file.force, beforeNaming, waiting, nameless });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
    const path = dirname(file.path);
    throw new SavepointError('file-missing', 'there is no such folder', { path });
  }
}

/** An error of the system, such as no room or no permission, becomes one that names the file. */
function failed(error: unknown, { path }: NewFile): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (isSavepointError(error)) return error;
  if (code === 'EEXIST') return exists(path, true);
  if (syscall === undefined) return error;
  const message = `the file cannot be written (${code})`;
  return new SavepointError('file-failed', message, { path, cause: error });
}

/** Only a plain file is ever replaced: not what a link points to, and no device. */
function refuseToReplace({ path, force }: NewFile): void {
  const kind = kindOf(path);
  if (kind === 'absent' || (force && kind === 'file')) return;
  throw exists(path, kind === 'file');
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

/** An export that somebody gave us. Only a regular file: anything else could keep us waiting, or change. */
export function openGivenFile(path: string): OpenFile {
  try {
    const file = openFile(path);
    if (file instanceof OpenFile) return file;
    throw refused(file, path);
  } catch (error) {
    throw isSavepointError(error) ? error : unreadable(path, error as NodeJS.ErrnoException);
  }
}

function refused({ why, cause }: Unread, path: string): SavepointError {
  if (why === 'missing') {
    const hint = 'make one with: savepoint export FILE';
    return new SavepointError('file-missing', 'there is no such file', { path, hint });
  }
  if (why === 'not-allowed') return unreadable(path, cause);
  const message = why === 'link' ? 'it is a symbolic link' : 'it is not a regular file';
  return new SavepointError('export-invalid', message, { path, hint: 'name the file itself' });
}

function unreadable(path: string, cause: NodeJS.ErrnoException | undefined): SavepointError {
  const message = `the file cannot be read (${cause?.code})`;
  return new SavepointError('file-failed', message, { path, cause });
}
