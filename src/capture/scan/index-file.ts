import { type BigIntStats, closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { writeFile } from '../../fs/write-file.ts';
import { decodeIndex, encodeIndex } from './index-codec.ts';
import type { ScanIndex } from './scan-index.ts';

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
    this.#seen = writeFile(this.#path, encodeIndex(index), { durable: false });
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
