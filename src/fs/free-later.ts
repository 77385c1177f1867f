import { close, constants, openSync } from 'node:fs';
import { type FsPath, O_PATH } from './pinned-folder.ts';
import { removeIfThere } from './write-file.ts';

// A process with a low limit has need of its descriptors.
const MOST_HELD = 6;
let held = 0;

/**
 * As `removeIfThere`. To free the blocks of a file takes the file system longer than to remove its name,
 * and begins when nobody holds the file any more: so it is held until its name is gone, and let go on the
 * thread pool, where nobody waits for it.
 */
export function removeFreeingLater(at: FsPath): void {
  const fd = hold(at);
  try {
    removeIfThere(at);
  } finally {
    if (fd !== null) letGo(fd);
  }
}

/** Null where it cannot be held, which is no reason to leave it. */
function hold(at: FsPath): number | null {
  if (process.platform !== 'linux' || held >= MOST_HELD) return null;
  try {
    return openSync(at, O_PATH | constants.O_NOFOLLOW);
  } catch {
    return null;
  }
}

/** Not at once: the file system would free this one's blocks and remove the next one's name in turns. */
function letGo(fd: number): void {
  held += 1;
  setImmediate(close, fd, () => {
    held -= 1;
  });
}
