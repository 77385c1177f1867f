import { randomBytes } from 'node:crypto';
import {
  type BigIntStats,
  closeSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { decodeIndex, encodeIndex } from './index-codec.ts';
import type { ScanIndex } from './scan-index.ts';

const PRIVATE_FILE = 0o600;

/** What tells one saved file from another. */
type Identity = Pick<BigIntStats, 'ino' | 'size' | 'mtimeNs'>;

/** The file in which an index waits for the next process. It is a cache: the next scan makes another. */
export class IndexFile {
  readonly #path: string;
  /** Of the file that was loaded or saved here last. */
  #seen: Identity | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  /** Null when there is no index that can be used. */
  load(): ScanIndex | null {
    this.#seen = null;
    const read = readShared(this.#path);
    const index = read && decodeIndex(read.bytes);
    if (read !== null && index !== null) this.#seen = read.identity;
    return index;
  }

  /** Replaces the file as a whole. Not synced: should it be lost, the checksum says so. */
  save(index: ScanIndex): void {
    this.#seen = null;
    const temporary = `${this.#path}.${randomBytes(6).toString('hex')}.tmp`;
    try {
      const identity = write(temporary, encodeIndex(index));
      renameSync(temporary, this.#path);
      this.#seen = identity;
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
  }

  /** Whether what was loaded or saved here last is still what the file holds. */
  isAsSeen(): boolean {
    const now = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    return this.#seen !== null && now !== undefined && isSame(now, this.#seen);
  }
}

function isSame(a: Identity, b: Identity): boolean {
  return a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs;
}

function write(file: string, parts: readonly Uint8Array[]): Identity {
  const fd = openSync(file, 'wx', PRIVATE_FILE);
  try {
    for (const part of parts) writeFileSync(fd, part);
    return fstatSync(fd, { bigint: true });
  } finally {
    closeSync(fd);
  }
}

/** Reads a file into memory that threads can share. */
function readShared(file: string): { bytes: Uint8Array; identity: Identity } | null {
  let fd: number;
  try {
    fd = openSync(file, 'r');
  } catch {
    return null;
  }
  try {
    const identity = fstatSync(fd, { bigint: true });
    const bytes = new Uint8Array(new SharedArrayBuffer(Number(identity.size)));
    let length = 0;
    while (length < bytes.length) {
      const read = readSync(fd, bytes, length, bytes.length - length, length);
      if (read === 0) return null;
      length += read;
    }
    return { bytes, identity };
  } catch {
    return null;
  } finally {
    closeSync(fd);
  }
}
