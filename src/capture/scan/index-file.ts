import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { decodeIndex, encodeIndex } from './index-codec.ts';
import type { ScanIndex } from './scan-index.ts';

const PRIVATE_FILE = 0o600;

/** Null when there is no index that can be used. It is a cache: the next scan makes another. */
export function loadIndex(file: string): ScanIndex | null {
  const bytes = readShared(file);
  return bytes === null ? null : decodeIndex(bytes);
}

/** Replaces the file as a whole. Not synced: should it be lost, the checksum says so. */
export function saveIndex(file: string, index: ScanIndex): void {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    writeFileSync(temporary, encodeIndex(index), { mode: PRIVATE_FILE, flag: 'wx' });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Reads a file into memory that threads can share. */
function readShared(file: string): Uint8Array | null {
  let fd: number;
  try {
    fd = openSync(file, 'r');
  } catch {
    return null;
  }
  try {
    const bytes = new Uint8Array(new SharedArrayBuffer(fstatSync(fd).size));
    let length = 0;
    while (length < bytes.length) {
      const read = readSync(fd, bytes, length, bytes.length - length, length);
      if (read === 0) return null;
      length += read;
    }
    return bytes;
  } catch {
    return null;
  } finally {
    closeSync(fd);
  }
}
