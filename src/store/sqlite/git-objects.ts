import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { SavepointError } from '../../model/errors.ts';
import { GitPackIndex } from '../git-pack-index.ts';
import { readAt } from './layout.ts';
import { Damaged, PackFolder } from './packs/pack-folder.ts';

const KEY_BYTES = 20;
// The longest chain of deltas that git makes.
const MAX_DEPTH = 4095;
const MAX_CHAIN_BYTES = 4 * 1024 * 1024 * 1024;
// Instructions of a delta from here on copy; smaller ones insert that many bytes.
const COPY = 128;
const DEFAULT_COPY_BYTES = 0x10000;

/**
 * Reads blobs from the packs of a bare repository without git. The files may be hostile: every number in
 * them is checked before it is used, and the bytes of an object are compared with its id.
 */
export class GitObjects {
  readonly #folder: string;
  readonly #packs: PackFolder<GitPackIndex>;

  constructor(repository: string) {
    this.#folder = join(repository, 'objects', 'pack');
    this.#packs = new PackFolder(this.#folder, readPackIndex);
  }

  /** Throws `blob-missing`, or `blob-corrupt` when no place gives the right bytes. */
  read(id: Uint8Array): Uint8Array {
    const key = Buffer.from(id);
    if (key.length !== KEY_BYTES) throw missing(key);
    const found = this.#packs.read((name, index) => this.#readFrom(name, index, key));
    if (found === 'missing') throw missing(key);
    if (found === 'damaged') throw corrupt(key);
    // Not a Buffer: tests and callers compare and print those differently.
    return new Uint8Array(found.buffer, found.byteOffset, found.length);
  }

  #readFrom(name: string, index: GitPackIndex, key: Buffer): Uint8Array | null {
    const offset = offsetOf(index, key);
    if (offset === null) return null;
    const file = join(this.#folder, `${name}.pack`);
    const bytes = PackFile.use(file, (pack) => resolve(pack, index, offset));
    if (!hasId(bytes, key)) throw new Damaged('an object that does not match its id');
    return bytes;
  }
}

/** Follows the deltas down to an object that is stored whole, then applies them one by one. */
function resolve(pack: PackFile, index: GitPackIndex, offset: number): Uint8Array {
  const deltas: Entry[] = [];
  let entry = pack.entry(offset);
  for (let { base } = entry; base !== null; base = entry.base) {
    if (deltas.push(entry) > MAX_DEPTH) throw new Damaged('a chain that is too long');
    entry = pack.entry(typeof base === 'number' ? base : offsetIn(index, base));
  }
  let bytes = pack.data(entry);
  let cost = bytes.length;
  for (const delta of deltas.reverse()) {
    bytes = applyDelta(bytes, pack.data(delta));
    cost += bytes.length + delta.size;
    if (cost > MAX_CHAIN_BYTES) throw new Damaged('a chain that makes too much');
  }
  return bytes;
}

/** Applies a delta of git: instructions that copy a part of the base, or insert new bytes. */
function applyDelta(base: Uint8Array, delta: Uint8Array): Uint8Array {
  const reader = new ByteReader(delta);
  if (reader.number() !== base.length) throw new Damaged('a delta for another object');
  const result = Buffer.allocUnsafe(requireSize(reader.number()));
  let filled = 0;
  while (!reader.isAtEnd()) {
    const piece = nextPiece(reader, base);
    if (filled + piece.length > result.length) throw new Damaged('a delta that makes too much');
    result.set(piece, filled);
    filled += piece.length;
  }
  if (filled !== result.length) throw new Damaged('a delta that makes too little');
  return result;
}

/** The bytes that the next instruction copies or inserts. */
function nextPiece(reader: ByteReader, base: Uint8Array): Uint8Array {
  const instruction = reader.next();
  if (instruction === 0) throw new Damaged('an instruction that git does not define');
  if (instruction < COPY) return reader.take(instruction);
  // The low bits say which bytes of the offset (four) and of the length (three) follow.
  const part = (bit: number): number => (instruction & (1 << bit) ? reader.next() : 0);
  const offset = part(0) + part(1) * 0x100 + part(2) * 0x10000 + part(3) * 0x1000000;
  const length = part(4) + part(5) * 0x100 + part(6) * 0x10000 || DEFAULT_COPY_BYTES;
  if (offset + length > base.length) throw new Damaged('a delta that copies past the end');
  return base.subarray(offset, offset + length);
}

/** Git never stores a delta without its base in the same pack. */
function offsetIn(index: GitPackIndex, key: Buffer): number {
  const offset = offsetOf(index, key);
  if (offset === null) throw new Damaged('a delta without its base');
  return offset;
}

/** Git's id of a blob is the SHA-1 of its kind, length and bytes. */
function hasId(bytes: Uint8Array, key: Buffer): boolean {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest().equals(key);
}

function missing(key: Buffer): SavepointError {
  const hex = key.toString('hex');
  return new SavepointError('blob-missing', `git object ${hex} is not among those kept`);
}

function corrupt(key: Buffer): SavepointError {
  const hex = key.toString('hex');
  return new SavepointError('blob-corrupt', `git object ${hex} is damaged where it was kept`);
}

/** Larger objects are refused: a few hostile bytes could otherwise claim any size. */
const MAX_OBJECT_BYTES = 256 * 1024 * 1024;
const MAX_INDEX_BYTES = 1024 * 1024 * 1024;
const MAX_CHUNK_BYTES = 1024 * 1024;

function requireSize(size: number): number {
  if (size > MAX_OBJECT_BYTES) throw new Damaged('an object that is too large');
  return size;
}

/** Gives `use` an open file and its size. Somebody else made the file, so it may be a FIFO. */
function withFile<Result>(path: string, use: (descriptor: number, size: number) => Result): Result {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new Damaged('not a regular file');
    return use(descriptor, stats.size);
  } finally {
    closeSync(descriptor);
  }
}

/** Throws `Damaged` when the file is not an index of version 2. */
function readPackIndex(path: string): GitPackIndex {
  return withFile(path, (descriptor, size) => {
    if (size > MAX_INDEX_BYTES) throw new Damaged('an index that is too large');
    const index = GitPackIndex.from(readFileSync(descriptor));
    if (index === null) throw new Damaged('not an index of version 2, or cut short');
    return index;
  });
}

/** Where an object begins in the pack of the index; null when the pack does not hold it. */
function offsetOf(index: GitPackIndex, key: Buffer): number | null {
  const position = index.find(key);
  if (position === -1) return null;
  const offset = index.offset(position);
  if (offset === null) throw new Damaged('an offset past the end of the index');
  return offset;
}

/** What a pack holds at an offset: an object, or a delta that makes one from another object, its base. */
interface Entry {
  readonly size: number;
  readonly dataAt: number;
  /** An offset in the same pack, or the object's id; null for an object. */
  readonly base: number | Buffer | null;
}

const PACK_HEADER_BYTES = 12;
const PACK_TRAILER_BYTES = 20;
const BLOB = 3;
const OFS_DELTA = 6;
const REF_DELTA = 7;
// Kind and size take at most 5 bytes for sizes that we read, a base's offset 8, its id 20.
const ENTRY_HEADER_BYTES = 32;

/** An open pack of git. */
class PackFile {
  readonly #descriptor: number;
  readonly #end: number;

  private constructor(descriptor: number, size: number) {
    this.#descriptor = descriptor;
    this.#end = size - PACK_TRAILER_BYTES;
  }

  static use<Result>(path: string, read: (pack: PackFile) => Result): Result {
    return withFile(path, (descriptor, size) => read(new PackFile(descriptor, size)));
  }

  entry(offset: number): Entry {
    if (!(offset >= PACK_HEADER_BYTES)) throw new Damaged('an object before the first');
    const reader = new ByteReader(this.#read(offset, ENTRY_HEADER_BYTES));
    const { kind, size } = kindAndSize(reader);
    requireSize(size);
    if (kind === BLOB) return { size, dataAt: offset + reader.at, base: null };
    if (kind !== OFS_DELTA && kind !== REF_DELTA) throw new Damaged('an object that is not a blob');
    const base = kind === REF_DELTA ? reader.take(KEY_BYTES) : offset - distance(reader);
    return { size, dataAt: offset + reader.at, base };
  }

  /** The inflated bytes of an entry, exactly as many as it says. */
  data({ dataAt, size }: Entry): Uint8Array {
    return inflate(this.#read(dataAt, mostDeflated(size)), size);
  }

  /** As many bytes as there are before the trailer, and no more than `length`. */
  #read(offset: number, length: number): Buffer {
    const there = Math.min(length, this.#end - offset);
    if (!(there > 0)) throw new Damaged('an object past the end of its pack');
    const bytes = readAt(this.#descriptor, offset, there);
    if (bytes.length < there) throw new Damaged('a pack that is cut short');
    return bytes;
  }
}

/** Seven bits in a byte, the lowest first; three bits of the first byte are the kind. */
function kindAndSize(reader: ByteReader): { kind: number; size: number } {
  const first = reader.next();
  const rest = first < 128 ? 0 : reader.number();
  return { kind: (first >> 4) & 7, size: (first & 15) + rest * 16 };
}

/** Seven bits in a byte, the highest first; one is added for each further byte. */
function distance(reader: ByteReader): number {
  let byte = reader.next();
  let value = byte & 127;
  while (byte >= 128) {
    byte = reader.next();
    value = (value + 1) * 128 + (byte & 127);
  }
  if (value === 0) throw new Damaged('an object that is made from itself');
  return value;
}

/** Reads numbers and bytes one after the other, and never past the end. */
class ByteReader {
  readonly #bytes: Buffer;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  isAtEnd(): boolean {
    return this.at >= this.#bytes.length;
  }

  next(): number {
    const byte = this.#bytes[this.at];
    if (byte === undefined) throw new Damaged('a number that is cut short');
    this.at += 1;
    return byte;
  }

  take(length: number): Buffer {
    const taken = this.#bytes.subarray(this.at, this.at + length);
    if (taken.length < length) throw new Damaged('bytes that are cut short');
    this.at += length;
    return taken;
  }

  /** Seven bits in a byte, the lowest first. */
  number(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.next();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }
}

/** The most bytes that zlib makes of `size` bytes, whatever its settings. */
function mostDeflated(size: number): number {
  return size + Math.ceil(size / 8) + Math.ceil(size / 64) + 64;
}

/** Exactly `size` bytes from the start of `deflated`, which may go on behind their end. */
function inflate(deflated: Uint8Array, size: number): Uint8Array {
  const chunkSize = Math.min(Math.max(size, 64), MAX_CHUNK_BYTES);
  const bytes = inflateSync(deflated, { maxOutputLength: Math.max(size, 1), chunkSize });
  if (bytes.length !== size) throw new Damaged('an object that is shorter than it says');
  return bytes;
}
