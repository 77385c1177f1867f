import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { SavepointError } from '../index.ts';

const CHUNK_BYTES = 256 * 1024;
const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** A file that somebody gave us, opened once: whatever takes its name meanwhile, these bytes are read. */
export class GivenFile {
  readonly #handle: FileHandle;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** Only a regular file: anything else could keep us waiting, or be another one the next time. */
  static async open(path: string): Promise<GivenFile> {
    const handle = await openOrRefuse(path);
    if ((await handle.stat()).isFile()) return new GivenFile(handle);
    await handle.close();
    throw refused('it is not a regular file', path);
  }

  /** From the beginning, each time. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    for (let position = 0; ; ) {
      const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
      const { bytesRead } = await this.#handle.read(buffer, 0, CHUNK_BYTES, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  /** As `chunks`; tells before each how many bytes of how many are behind it. */
  async *watched(
    tell: (done: number, total: number) => Promise<void> | undefined,
  ): AsyncGenerator<Uint8Array> {
    const { size } = await this.#handle.stat();
    let done = 0;
    for await (const chunk of this.chunks()) {
      await tell(done, size);
      done += chunk.length;
      yield chunk;
    }
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

async function openOrRefuse(path: string): Promise<FileHandle> {
  try {
    return await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') throw missing(path);
    if (code === 'ELOOP') throw refused('it is a symbolic link', path);
    if (code === 'ENXIO') throw refused('it is not a regular file', path);
    throw new SavepointError('file-failed', `the file cannot be read (${code})`, {
      path,
      cause: error,
    });
  }
}

function missing(path: string): SavepointError {
  const hint = 'make one with: savepoint export FILE';
  return new SavepointError('file-missing', 'there is no such file', { path, hint });
}

function refused(message: string, path: string): SavepointError {
  return new SavepointError('export-invalid', message, { path, hint: 'name the file itself' });
}
