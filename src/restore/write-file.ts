import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import type { FsPath } from '../capture/pinned-folder.ts';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/**
 * The only place in Savepoint that writes bytes into a user's folder: always to a name that did not
 * exist, synced before anybody can see it under its real name.
 */
export function writeNewFile(at: FsPath, bytes: Uint8Array, mode: number): void {
  const fd = openSync(at, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    for (let written = 0; written < bytes.length; ) {
      written += writeSync(fd, bytes, written);
    }
    fchmodSync(fd, mode);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * Gives a waiting file its real name, only if nothing stands there: unlike a rename, a link never
 * replaces what somebody has put there in the meantime. Throws EEXIST then.
 */
export function moveIntoPlace(waiting: FsPath, place: FsPath): void {
  try {
    linkSync(waiting, place);
  } catch (error) {
    if (!cannotLink(error)) throw error;
    // File systems without hard links: a small window between the look and the rename.
    if (lstatSync(place, { throwIfNoEntry: false })) throw alreadyThere(error);
    renameSync(waiting, place);
    return;
  }
  unlinkSync(waiting);
}

/** Removes a companion file of ours; that it is gone already is fine. */
export function removeIfThere(at: FsPath): void {
  try {
    unlinkSync(at);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function cannotLink(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'ENOSYS'].includes(code);
}

function alreadyThere(cause: unknown): Error {
  return Object.assign(new Error('file exists', { cause }), { code: 'EEXIST' });
}
