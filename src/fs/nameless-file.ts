import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, rmSync } from 'node:fs';

/** A file without a name: should its process be killed, nothing of it is left. */
export interface NamelessFile {
  readonly fd: number;
  giveName(path: string): void;
}

// `__O_TMPFILE` of Linux, which Node does not name; it goes with O_DIRECTORY.
const O_TMPFILE = 0o20000000 | constants.O_DIRECTORY;
const PRIVATE_MODE = 0o600;
// Of the system, wherever PATH points. Node cannot name an open file, and this program can.
const LN = '/bin/ln';

/**
 * Begins a file in a folder. Null where the system or the file system cannot do that, which shows when the
 * file is named; so `probe`, a name that is free, is given to another one first, and taken away again.
 */
export function beginNameless(folder: string, probe: string): NamelessFile | null {
  const tried = openNameless(folder);
  if (tried === null) return null;
  try {
    if (!giveName(tried, probe)) return null;
    rmSync(probe);
  } finally {
    closeSync(tried);
  }
  const fd = openNameless(folder);
  if (fd === null) return null;
  return {
    fd,
    giveName: (path) => {
      if (!giveName(fd, path)) throw new Error('the new file could not be named');
    },
  };
}

function openNameless(folder: string): number | null {
  if (process.platform !== 'linux') return null;
  try {
    return openSync(folder, O_TMPFILE | constants.O_WRONLY, PRIVATE_MODE);
  } catch {
    return null;
  }
}

/** Fails where something has the name already. */
function giveName(fd: number, path: string): boolean {
  const words = ['-L', '--', '/proc/self/fd/0', path];
  return spawnSync(LN, words, { stdio: [fd, 'ignore', 'ignore'], env: {} }).status === 0;
}
