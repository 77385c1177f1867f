import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

// The store is private to the user: it holds whatever the agent touched.
const PRIVATE_FILE = 0o600;
const PRIVATE_DIRECTORY = 0o700;

const TEMPORARY_NAME = /^\..*\.[0-9a-f]{12}\.tmp$/;

/** Writes a file so that after a power cut it is there whole, or as it was before. */
export function writeDurably(target: string, bytes: Uint8Array): void {
  const folder = dirname(target);
  const random = randomBytes(6).toString('hex');
  const temporary = join(folder, `.${basename(target)}.${random}.tmp`);
  const descriptor = openNew(temporary);
  try {
    writeThrough(descriptor, bytes);
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncPath(folder);
}

/** Whether a file of this name was still being written when its process died. */
export function isTemporary(name: string): boolean {
  return TEMPORARY_NAME.test(name);
}

/**
 * Makes a folder and those above it, and the entries that name them durable. One that is there already
 * is synced as well, because a process that died may have made it and got no further; those above it
 * had been synced before it was made.
 */
export function makeDurableDirectory(path: string): void {
  const parent = dirname(path);
  if (parent === path) return;
  if (!existsSync(path)) {
    makeDurableDirectory(parent);
    mkdirSync(path, { recursive: true, mode: PRIVATE_DIRECTORY });
  }
  syncIfReadable(parent);
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

/** Makes a file's bytes, or a folder's entries, survive a power cut. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** A folder that we may not read is none that we have made. */
function syncIfReadable(path: string): void {
  try {
    syncPath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
  }
}

/** The folder is there, unless somebody removed it since the store was made. */
function openNew(path: string): number {
  try {
    return openSync(path, 'wx', PRIVATE_FILE);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  makeDurableDirectory(dirname(path));
  return openSync(path, 'wx', PRIVATE_FILE);
}

function writeThrough(descriptor: number, bytes: Uint8Array): void {
  try {
    writeFileSync(descriptor, bytes);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
