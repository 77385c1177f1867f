import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { makePrivateFolder } from './write-file.ts';

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;

/**
 * Adds a line to the end of a file that only its owner can read; makes the file, and the folders above it.
 * One write: lines of several processes stand one after the other, each of them whole.
 */
export function appendLine(file: string, line: string): void {
  makePrivateFolder(dirname(file));
  const fd = openSync(file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  try {
    writeSync(fd, `${line}\n`);
  } finally {
    closeSync(fd);
  }
}
