import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { makePrivateFolder, writeFile } from '../../fs/write-file.ts';

// The store is private to the user: it holds whatever the agent touched.
const PRIVATE_FILE = 0o600;

/** Writes a file so that after a power cut it is there whole, or as it was before. */
export function writeDurably(target: string, bytes: Uint8Array): void {
  try {
    writeFile(target, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    // Somebody removed the folder since the store was made.
    makePrivateFolder(dirname(target));
    writeFile(target, bytes);
  }
}

/** Makes an empty private file unless there is one. SQLite would make it readable for others. */
export function makeEmptyFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', PRIVATE_FILE));
  } catch (error) {
    // An existing one is not even opened: closing any descriptor of a file drops the process's locks.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
