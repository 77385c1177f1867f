import { type BigIntStats, closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { writeFile } from '../../fs/write-file.ts';
import { UNREADABLE } from './entry-stat.ts';
import type { FolderRuleTexts } from './folder-rules.ts';
import { type ColumnSizes, columnsLength, HEADER_BYTES, viewColumns } from './index-columns.ts';
import { type IndexMeta, ScanIndex } from './scan-index.ts';

/** The index of a scan that is on record, and what it came from. */
export interface NewIndex {
  readonly index: ScanIndex;
  /** The index that the scan compared with, from `find`; null where there was none. */
  readonly previous: ScanIndex | null;
  /** How many files had another stat. */
  readonly touched: number;
  /** Whether a scan that starts from the previous index would now draw a wrong conclusion. */
  readonly urgent: boolean;
}

/** How many files a process with an older index may have to read once more. */
const MAX_STALE = 256;

/**
 * Keeps the stat index between scans: in memory for the next scan of this process, in a file for the next
 * process. To write the file takes longer than to read a few files again. So where only stats moved, the
 * file is written when many did, or at the end. If the process dies before, the next one reads those files
 * again and finds them as they are on record.
 */
export class KeptIndex {
  readonly #file: IndexFile | null;
  #index: ScanIndex | null = null;
  /** How many files have a newer stat than the file may have. */
  #stale = 0;

  constructor(path: string | null) {
    this.#file = path === null ? null : new IndexFile(path);
  }

  /** The index of this process, or one that another process left. */
  find(fits: (index: ScanIndex) => boolean): ScanIndex | null {
    if (this.#index !== null && fits(this.#index)) return this.#index;
    const found = this.#loaded();
    this.#stale = 0;
    return found !== null && fits(found) ? found : null;
  }

  keep({ index, previous, touched, urgent }: NewIndex): void {
    this.#index = index;
    this.#stale += touched;
    const mayWait = !urgent && previous !== null && differInStatsOnly(previous, index);
    if (!mayWait || this.#stale > MAX_STALE || !this.#isFileOurs()) this.#save();
  }

  /** Leaves the index to the next process, unless another process has left a newer one. */
  close(): void {
    if (this.#index === null) return;
    const isOlder = this.#isFileOurs() ? this.#stale > 0 : !isNewer(this.#loaded(), this.#index);
    if (isOlder) this.#save();
  }

  #loaded(): ScanIndex | null {
    return this.#file?.load() ?? null;
  }

  #isFileOurs(): boolean {
    return this.#file?.isAsSeen() ?? true;
  }

  #save(): void {
    this.#stale = 0;
    try {
      if (this.#index !== null) this.#file?.save(this.#index);
    } catch {
      // The disk is full, or the folder is gone. The file is only a cache.
    }
  }
}

/**
 * Whether a scan from either index gives the same differences, except that one of them lists files again
 * whose stat moved in between. Indices with the same names and rules share their columns. A folder that
 * became readable or unreadable is more than another stat.
 */
function differInStatsOnly(a: ScanIndex, b: ScanIndex): boolean {
  if (a.columns !== b.columns) return false;
  return [...a.restamped.keys(), ...b.restamped.keys()].every(
    (entry) => (a.bits(entry) & UNREADABLE) === (b.bits(entry) & UNREADABLE),
  );
}

function isNewer(found: ScanIndex | null, than: ScanIndex): boolean {
  if (found === null || found.stamp.storeId !== than.stamp.storeId) return false;
  return found.stamp.seq >= than.stamp.seq;
}

/** What tells one saved file from another. */
type Identity = Pick<BigIntStats, 'ino' | 'size' | 'mtimeNs'>;

/** The file that keeps an index for the next process. It is a cache: without it the next scan reads more. */
export class IndexFile {
  readonly #path: string;
  /** The file that was loaded or saved here last. */
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

  /** Replaces the file as a whole. Does not sync it: if bytes get lost, the checksum shows it. */
  save(index: ScanIndex): void {
    this.#seen = null;
    this.#seen = writeFile(this.#path, encodeIndex(index), { durable: false });
  }

  /** Whether the file is still the one that was loaded or saved here last. */
  isAsSeen(): boolean {
    const now = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    const seen = this.#seen;
    if (seen === null || now === undefined) return false;
    return now.ino === seen.ino && now.size === seen.size && now.mtimeNs === seen.mtimeNs;
  }
}

/** Reads a file into memory that threads can share. Null when it cannot be read. */
function readShared(file: string): { bytes: Uint8Array; identity: Identity } | null {
  let fd: number | null = null;
  try {
    fd = openSync(file, 'r');
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
    if (fd !== null) closeSync(fd);
  }
}

// "SAVPIDX" and a zero. Numbers are in the machine's own byte order, so the file of a machine with the
// other order does not begin with these.
const MAGIC = [0x50564153, 0x00584449];
const FORMAT = 4;
/** The checksum covers the bytes from here on. */
const CHECKED_FROM = 12;

/** The words of the header after the magic. */
const WORDS = { checksum: 2, format: 3, entries: 4, folders: 5, names: 6, meta: 7 } as const;

/** The bytes of an index in parts that follow each other, so that the large columns need no copy. */
export function encodeIndex(index: ScanIndex): readonly Uint8Array[] {
  const columns = index.wholeColumns();
  const body = columns.bytes.subarray(HEADER_BYTES);
  const meta = Buffer.from(JSON.stringify({ ...index.meta, rules: [...index.meta.rules] }));
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
  const meta = { ...saved, rules: new Map(saved.rules) };
  return new ScanIndex(viewColumns(bytes.buffer, sizes), meta);
}

interface SavedMeta extends Omit<IndexMeta, 'rules'> {
  readonly rules: readonly (readonly [number, FolderRuleTexts])[];
}

function checksum(head: Uint8Array, ...more: readonly Uint8Array[]): number {
  return more.reduce((sum, part) => crc32(part, sum), crc32(head.subarray(CHECKED_FROM)));
}

function copyShared(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}
