import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { documentCorrupt } from '../base-storage.ts';
import type { HeldFolder } from './held-folder.ts';

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
const PRIVATE_FILE = 0o600;
const TEMPORARY = /^\.[0-9a-f]{16}\.tmp$/;

/** Gives a name new content: whoever reads it, also after a power cut, finds all of it or the old one. */
export function writeDocument(folder: HeldFolder, name: string, text: string): void {
  const temporary = folder.at(`.${randomBytes(8).toString('hex')}.tmp`);
  try {
    writeThrough(openSync(temporary, 'wx', PRIVATE_FILE), text);
    renameSync(temporary, folder.at(name));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  folder.sync();
}

/** The text of a document, or null where there is none. */
export function readDocument(folder: HeldFolder, name: string): string | null {
  const descriptor = openToRead(folder, name);
  if (descriptor === null) return null;
  try {
    // A pipe of that name would never end.
    if (!fstatSync(descriptor).isFile())
      throw documentCorrupt(folder.pathOf(name), 'it is no file');
    return textOf(readFileSync(descriptor), folder, name);
  } finally {
    closeSync(descriptor);
  }
}

/** Removes what processes left that died while they wrote. Only under the lock: the living write there. */
export function sweepTemporaries(folder: HeldFolder): void {
  for (const { name } of folder.entries()) {
    if (TEMPORARY.test(name)) rmSync(folder.at(name), { force: true });
  }
}

function writeThrough(descriptor: number, text: string): void {
  try {
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function openToRead(folder: HeldFolder, name: string): number | null {
  try {
    return openSync(folder.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    if (code === 'ELOOP')
      throw documentCorrupt(folder.pathOf(name), 'it is a link, which is not followed');
    throw error;
  }
}

function textOf(bytes: Uint8Array, folder: HeldFolder, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw documentCorrupt(folder.pathOf(name), 'it is not UTF-8', error);
  }
}
