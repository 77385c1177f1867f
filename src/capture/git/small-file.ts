import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

// Nothing that git keeps as one text comes near it; a repository may be hostile.
const MAX_BYTES = 64 * 1024 * 1024;
const { O_RDONLY, O_NONBLOCK } = constants;

/** The text of one of git's own files without its last line end; null where there is none to read. */
export function readText(path: string): string | null {
  let fd: number;
  try {
    // O_NONBLOCK: what a repository puts here may be a FIFO, and opening that must not hang.
    fd = openSync(path, O_RDONLY | O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile() || stats.size > MAX_BYTES) return null;
    return readFileSync(fd, 'utf8').trimEnd();
  } catch {
    return null;
  } finally {
    closeSync(fd);
  }
}
