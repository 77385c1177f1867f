import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { writeFile } from '../../fs/write-file.ts';
import type { FolderRuleTexts } from './folder-rules.ts';
import {
  type ColumnSizes,
  columnsLength,
  HEADER_BYTES,
  type Stamp,
  viewColumns,
} from './index-columns.ts';
import { type IndexMeta, ScanIndex } from './scan-index.ts';

/**
 * Keeps the stat index between scans: in memory for the next scan of this process, in a file for the next
 * process. The file is only a cache: without it the next scan reads more.
 */
export class KeptIndex {
  readonly #path: string | null;
  #index: ScanIndex | null = null;

  /** Without a path the index is kept in memory only. */
  constructor(path: string | null) {
    this.#path = path;
  }

  /** The index of this process, or one that another process left. */
  find(fits: (index: ScanIndex) => boolean): ScanIndex | null {
    if (this.#index !== null && fits(this.#index)) return this.#index;
    const found = this.#path === null ? null : loadIndex(this.#path);
    return found !== null && fits(found) ? found : null;
  }

  keep(index: ScanIndex): void {
    this.#index = index;
    try {
      // Not synced: if bytes get lost, the checksum shows it.
      if (this.#path !== null) writeFile(this.#path, encodeIndex(index), { durable: false });
    } catch {
      // The disk is full, or the folder is gone. The file is only a cache.
    }
  }
}

/** The index in a file, in memory that threads can share. Null when there is none that can be used. */
export function loadIndex(file: string): ScanIndex | null {
  let fd: number | null = null;
  try {
    fd = openSync(file, 'r');
    const bytes = new Uint8Array(new SharedArrayBuffer(fstatSync(fd).size));
    let length = 0;
    while (length < bytes.length) {
      const read = readSync(fd, bytes, length, bytes.length - length, length);
      if (read === 0) return null;
      length += read;
    }
    return decodeIndex(bytes);
  } catch {
    return null;
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

// "SAVPIDX" and a zero. Numbers are in the machine's own byte order, so the file of a machine with the
// other order does not begin with these.
const MAGIC = [0x50564153, 0x00584449];
const FORMAT = 8;
/** The checksum covers the bytes from here on. */
const CHECKED_FROM = 12;

/** The words of the header after the magic. */
const WORDS = { checksum: 2, format: 3, entries: 4, folders: 5, names: 6, meta: 7 } as const;

/** The bytes of an index in parts that follow each other, so that the large columns need no copy. */
export function encodeIndex(index: ScanIndex): readonly Uint8Array[] {
  const { columns } = index;
  const body = columns.bytes.subarray(HEADER_BYTES);
  const saved: SavedMeta = {
    ...index.meta,
    rules: [...index.meta.rules],
    restamped: [...index.restamped],
  };
  const meta = Buffer.from(JSON.stringify(saved));
  const header = new Uint32Array(HEADER_BYTES / 4);
  header.set(MAGIC);
  header[WORDS.format] = FORMAT;
  header[WORDS.entries] = columns.sizes.entries;
  header[WORDS.folders] = columns.sizes.folders;
  header[WORDS.names] = columns.sizes.nameBytes;
  header[WORDS.meta] = meta.length;
  const head = new Uint8Array(header.buffer);
  header[WORDS.checksum] = checksum(head, body, meta);
  return [head, body, meta];
}

/** Null for bytes that this program did not write: another format, cut short, damaged. */
export function decodeIndex(bytes: Uint8Array): ScanIndex | null {
  if (bytes.length < HEADER_BYTES) return null;
  // Worker threads need shared memory, and the columns must be aligned.
  const isShared = bytes.buffer instanceof SharedArrayBuffer && bytes.byteOffset === 0;
  return decodeShared(isShared ? bytes : copyShared(bytes));
}

function decodeShared(bytes: Uint8Array): ScanIndex | null {
  const header = new Uint32Array(bytes.buffer, bytes.byteOffset, HEADER_BYTES / 4);
  if (header[0] !== MAGIC[0] || header[1] !== MAGIC[1] || header[WORDS.format] !== FORMAT)
    return null;
  const sizes: ColumnSizes = {
    entries: header[WORDS.entries] as number,
    folders: header[WORDS.folders] as number,
    nameBytes: header[WORDS.names] as number,
  };
  const length = columnsLength(sizes);
  if (length + (header[WORDS.meta] as number) !== bytes.length) return null;
  if (checksum(bytes) !== header[WORDS.checksum]) return null;
  const saved: SavedMeta = JSON.parse(Buffer.from(bytes.subarray(length)).toString());
  const { restamped, rules, ...rest } = saved;
  const meta = { ...rest, rules: new Map(rules) };
  return new ScanIndex(viewColumns(bytes.buffer, sizes), meta, new Map(restamped));
}

/** The part of an index beside its columns. */
interface SavedMeta extends Omit<IndexMeta, 'rules'> {
  readonly rules: readonly (readonly [number, FolderRuleTexts])[];
  readonly restamped: readonly (readonly [number, Stamp])[];
}

function checksum(head: Uint8Array, ...more: readonly Uint8Array[]): number {
  return more.reduce((sum, part) => crc32(part, sum), crc32(head.subarray(CHECKED_FROM)));
}

function copyShared(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}
