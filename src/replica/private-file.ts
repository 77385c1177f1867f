import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SavepointError } from '../index.ts';
import { writeNewFile } from '../terminal/write-file.ts';

/** `replace`: whatever plain file is there goes. `new`: throws `file-exists` where one is. */
export type Placing = 'replace' | 'new';

/** Writes a file that only its owner can read, whole or not at all; folders on the way are made so as well. */
export async function writePrivateFile(
  path: string,
  text: string,
  placing: Placing,
): Promise<void> {
  await makeFolder(dirname(path));
  await writeNewFile({ path, force: placing === 'replace' }, bytesOf(text), NEVER);
}

/** A home that cannot be written to, or is full: nothing that only we could mend. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const message = `the folder ${path} cannot be made (${code})`;
    throw new SavepointError('file-failed', message, { path, cause: error });
  }
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array, void> {
  yield Buffer.from(text, 'utf8');
}

/** It is over before anybody can press a key. */
const NEVER = { onInterrupt: (): (() => void) => () => undefined };
