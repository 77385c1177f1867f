import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { SavepointError } from '../../../model/errors.ts';
import type { GitPackIndex } from '../../git-pack-index.ts';
import { Damaged, PackFolder } from '../packs/pack-folder.ts';
import {
  ByteReader,
  type Entry,
  offsetOf,
  PackFile,
  readPackIndex,
  requireSize,
} from './git-pack.ts';

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
