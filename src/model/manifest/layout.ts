import { SavepointError } from '../errors.ts';
import { KEY_BYTES } from './entry.ts';

const MAGIC = 0x5341564d;
const FORMAT = 1;
const HEADER_BYTES = 16;

/**
 * The columns of a manifest as views over its bytes. Columns of numbers, not records: a hundred thousand
 * paths are read without making an object for each.
 */
export interface Columns {
  readonly count: number;
  readonly sizes: Float64Array;
  /** Where each path ends among the bytes of all paths. */
  readonly ends: Uint32Array;
  readonly modes: Uint16Array;
  readonly kinds: Uint8Array;
  readonly keys: Uint8Array;
  readonly paths: Uint8Array;
}

/** Lays out the columns for so many entries in new bytes, to be filled; paths come last. */
export function newColumns(count: number, pathBytes: number): [Uint8Array, Columns] {
  const bytes = new Uint8Array(HEADER_BYTES + count * BYTES_PER_ENTRY + pathBytes);
  const header = new DataView(bytes.buffer);
  header.setUint32(0, MAGIC);
  header.setUint32(4, FORMAT);
  header.setUint32(8, count);
  header.setUint32(12, pathBytes);
  return [bytes, columnsOf(bytes, count)];
}

/** Throws `store-corrupt` where the bytes are no manifest of this format. */
export function readColumns(given: Uint8Array): Columns {
  // Views of numbers need aligned bytes.
  const bytes = given.byteOffset % 8 === 0 ? given : given.slice();
  if (bytes.length < HEADER_BYTES) throw damaged();
  const header = new DataView(bytes.buffer, bytes.byteOffset);
  const count = header.getUint32(8);
  const known = header.getUint32(0) === MAGIC && header.getUint32(4) === FORMAT;
  const length = HEADER_BYTES + count * BYTES_PER_ENTRY + header.getUint32(12);
  if (!known || bytes.length !== length) throw damaged();
  return columnsOf(bytes, count);
}

const BYTES_PER_ENTRY = 8 + 4 + 2 + 1 + KEY_BYTES;

function columnsOf(bytes: Uint8Array, count: number): Columns {
  const { buffer } = bytes;
  let at = bytes.byteOffset + HEADER_BYTES;
  // Widest first, so that each column is aligned without padding.
  const take = (width: number): number => {
    const start = at;
    at += count * width;
    return start;
  };
  return {
    count,
    sizes: new Float64Array(buffer, take(8), count),
    ends: new Uint32Array(buffer, take(4), count),
    modes: new Uint16Array(buffer, take(2), count),
    kinds: new Uint8Array(buffer, take(1), count),
    keys: new Uint8Array(buffer, take(KEY_BYTES), count * KEY_BYTES),
    paths: new Uint8Array(buffer, at, bytes.byteOffset + bytes.length - at),
  };
}

function damaged(): SavepointError {
  return new SavepointError('store-corrupt', 'the list of the baseline is damaged');
}
