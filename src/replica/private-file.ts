import { dirname } from 'node:path';
import { makePrivateFolder } from '../fs/write-file.ts';
import { SavepointError } from '../index.ts';
import { writeNewFile } from '../terminal/given-file.ts';

/** `replace`: a plain file that is there goes. `new`: throws `file-exists` where one is. */
export type Placing = 'replace' | 'new';

/** Writes a file that only its owner can read, whole or not at all; folders on the way are made so as well. */
export async function writePrivateFile(
  path: string,
  text: string,
  placing: Placing,
): Promise<void> {
  makeFolder(dirname(path));
  await writeNewFile({ path, force: placing === 'replace' }, bytesOf(text), NEVER);
}

/** A home that cannot be written to, or is full: nothing that only we could mend. */
function makeFolder(path: string): void {
  try {
    makePrivateFolder(path);
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
