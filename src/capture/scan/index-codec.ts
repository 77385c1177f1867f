import { crc32 } from 'node:zlib';
import { type ColumnSizes, columnsLength, HEADER_BYTES, viewColumns } from './columns.ts';
import { decodeMeta, encodeMeta } from './index-meta.ts';
import { ScanIndex } from './scan-index.ts';

// "SAVPIDX" and a zero. Numbers are in the machine's own order, so another machine's file has no magic.
const MAGIC = [0x50564153, 0x00584449];
const FORMAT = 2;
/** The checksum covers what comes after it. */
const CHECKED_FROM = 12;

/** The words of the header after the magic. */
const WORDS = { checksum: 2, format: 3, entries: 4, folders: 5, names: 6, meta: 7 } as const;

/** The bytes of an index in parts that follow each other: the columns are large and need no copy. */
export function encodeIndex(index: ScanIndex): readonly Uint8Array[] {
  const columns = index.wholeColumns();
  const body = columns.bytes.subarray(HEADER_BYTES);
  const end = encodeMeta(index.meta);
  const header = new Uint32Array(HEADER_BYTES / 4);
  header.set(MAGIC);
  header[WORDS.format] = FORMAT;
  header[WORDS.entries] = columns.sizes.entries;
  header[WORDS.folders] = columns.sizes.folders;
  header[WORDS.names] = columns.sizes.nameBytes;
  header[WORDS.meta] = end.length;
  const head = new Uint8Array(header.buffer);
  header[WORDS.checksum] = checksum(head, body, end);
  return [head, body, end];
}

/** Null for whatever this program did not write: another format, cut short, damaged. */
export function decodeIndex(bytes: Uint8Array): ScanIndex | null {
  if (bytes.length < HEADER_BYTES) return null;
  // Shared memory, so that worker threads can read it; and aligned, wherever the bytes came from.
  const isShared = bytes.buffer instanceof SharedArrayBuffer && bytes.byteOffset === 0;
  return decodeShared(isShared ? bytes : copyShared(bytes));
}

function decodeShared(bytes: Uint8Array): ScanIndex | null {
  const header = headerOf(bytes);
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
  const meta = decodeMeta(bytes.subarray(length));
  return meta === null ? null : new ScanIndex(viewColumns(bytes.buffer, sizes), meta);
}

function headerOf(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, HEADER_BYTES / 4);
}

function checksum(head: Uint8Array, ...more: readonly Uint8Array[]): number {
  return more.reduce((sum, part) => crc32(part, sum), crc32(head.subarray(CHECKED_FROM)));
}

function copyShared(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}
