import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { bytesToPath, type TrackedPath } from '../../model/path.ts';
import { Refusal } from './refusal.ts';
import { indexOf, type Repository } from './repository.ts';

/** The fields of one entry of git's index, in every version. All numbers are big-endian. */
export const ENTRY = {
  ctimeSec: 0,
  mtimeSec: 8,
  inode: 20,
  mode: 24,
  size: 36,
  oid: 40,
  flags: 60,
  /** The path, or first the further flags where the entry is an extended one. */
  end: 62,
} as const;

export const OID_SIZE = 20;
const HEADER_SIZE = 12;

export const FLAG = {
  assumeValid: 0x8000,
  /** Skip-worktree or intent-to-add; further flags say which. */
  extended: 0x4000,
  stage: 0x3000,
  nameLength: 0x0fff,
} as const;

export const MODE = { file: 0o100644, executable: 0o100755, tree: 0o040000 } as const;

/** Extensions that change nothing about the entries. */
const HARMLESS_EXTENSIONS: readonly string[] = ['TREE', 'REUC', 'UNTR', 'FSMN', 'EOIE', 'IEOT'];

/** The entries of an index, as places in its bytes: no object for each of them. */
export interface IndexEntries {
  readonly count: number;
  readonly bytes: Buffer;
  /** Where each entry begins in `bytes`. */
  readonly at: Uint32Array;
  /** Where each entry's path lies in `paths`. In ascending order of bytes, without duplicates. */
  readonly paths: Buffer;
  readonly pathStart: Uint32Array;
  readonly pathEnd: Uint32Array;
}

export interface IndexFile {
  readonly entries: IndexEntries;
  /** When git last wrote the index: a file that is not older may have changed without git's notice. */
  readonly writtenMs: number;
}

// Offsets into the file are kept as 32 bits. The index of a million files has a tenth of this.
const MAX_SIZE = 1024 * 1024 * 1024;
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Reads the index through one descriptor: git replaces the file, it does not write into it. */
export async function readIndex(repository: Repository): Promise<IndexFile> {
  const file = await openIndex(indexOf(repository));
  try {
    const before = await file.stat();
    if (!before.isFile() || before.size > MAX_SIZE) throw damaged();
    const bytes = await file.readFile();
    const after = await file.stat();
    const still = before.mtimeMs === after.mtimeMs && after.size === bytes.length;
    if (!still) throw new Refusal('index-locked');
    return { entries: parseIndex(bytes), writtenMs: after.mtimeMs };
  } finally {
    await file.close();
  }
}

async function openIndex(path: string): Promise<FileHandle> {
  try {
    return await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ELOOP') throw new Refusal('no-index');
    throw error;
  }
}

/**
 * Parses an index of version 2, 3 or 4. It may be hostile: it is refused, by name, wherever it is not
 * exactly what git writes.
 */
export function parseIndex(bytes: Buffer): IndexEntries {
  if (bytes.length < HEADER_SIZE + OID_SIZE) throw damaged();
  if (bytes.toString('latin1', 0, 4) !== 'DIRC') throw damaged();
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) throw new Refusal('index-version');
  checkHash(bytes);
  const end = bytes.length - OID_SIZE;
  const count = bytes.readUInt32BE(8);
  // Checked before anything is allocated for the number that the header claims.
  if (count > (end - HEADER_SIZE) / ENTRY.end) throw damaged();
  const at = new Uint32Array(count);
  const reader = new PathReader(bytes, version, count, end);
  let position = HEADER_SIZE;
  for (let i = 0; i < count; i += 1) {
    if (position + ENTRY.end > end) throw damaged();
    at[i] = position;
    position = reader.read(i, position, pathOffset(bytes, position, version));
    if (i > 0 && comparePaths(reader.path(i - 1), reader.path(i)) >= 0) throw damaged();
  }
  checkExtensions(bytes, position, end);
  return { count, bytes, at, ...reader.result() };
}

/** Refuses entries that make the whole index unusable; returns where the entry's path begins. */
function pathOffset(bytes: Buffer, position: number, version: number): number {
  const flags = bytes.readUInt16BE(position + ENTRY.flags);
  if ((flags & FLAG.stage) !== 0) throw new Refusal('unmerged');
  if (bytes.readUInt32BE(position + ENTRY.mode) === MODE.tree) throw new Refusal('sparse-index');
  if ((flags & FLAG.extended) === 0) return ENTRY.end;
  if (version === 2) throw damaged();
  return ENTRY.end + 2;
}

/** A checksum of zeros means that git was told to write none (index.skipHash). */
function checkHash(bytes: Buffer): void {
  const end = bytes.length - OID_SIZE;
  const written = bytes.subarray(end);
  if (written.every((byte) => byte === 0)) return;
  const found = createHash('sha1').update(bytes.subarray(0, end)).digest();
  if (!found.equals(written)) throw damaged();
}

function checkExtensions(bytes: Buffer, from: number, end: number): void {
  let position = from;
  while (position < end) {
    if (position + 8 > end) throw damaged();
    const name = bytes.toString('latin1', position, position + 4);
    if (name === 'link') throw new Refusal('split-index');
    if (name === 'sdir') throw new Refusal('sparse-index');
    // Git would skip unknown ones in capitals, but they may change what the entries mean.
    if (!HARMLESS_EXTENSIONS.includes(name)) throw new Refusal('index-extension');
    position += 8 + bytes.readUInt32BE(position + 4);
  }
  if (position !== end) throw damaged();
}

/** One path among many in one buffer: a hundred thousand strings would cost more than the work. */
export interface PathBytes {
  bytes: Uint8Array;
  start: number;
  end: number;
}

/** Negative, 0 or positive, by the bytes: the order of git's index and of its trees. */
export function comparePaths(a: PathBytes, b: PathBytes): number {
  const shared = Math.min(a.end - a.start, b.end - b.start);
  for (let i = 0; i < shared; i += 1) {
    const difference = (a.bytes[a.start + i] as number) - (b.bytes[b.start + i] as number);
    if (difference !== 0) return difference;
  }
  return a.end - a.start - (b.end - b.start);
}

export function startsWith(path: PathBytes, prefix: Uint8Array): boolean {
  if (path.end - path.start < prefix.length) return false;
  for (let i = 0; i < prefix.length; i += 1) {
    if (path.bytes[path.start + i] !== prefix[i]) return false;
  }
  return true;
}

/** The text of a path. Most are ASCII, for which the strict decoder is too slow. */
export function textOf(bytes: Buffer, start: number, end: number): TrackedPath {
  for (let at = start; at < end; at += 1) {
    if ((bytes[at] as number) > 0x7f) return bytesToPath(bytes.subarray(start, end)) as TrackedPath;
  }
  return bytes.toString('latin1', start, end) as TrackedPath;
}

const MAX_PATH = 4096;
// In version 4 a small file can unfold to paths without end.
const MAX_POOL = 512 * 1024 * 1024;

/** The paths of an index: in versions 2 and 3 where they stand, in version 4 unfolded into a pool. */
export class PathReader {
  readonly #bytes: Buffer;
  readonly #folded: boolean;
  readonly #end: number;
  readonly #start: Uint32Array;
  readonly #stop: Uint32Array;
  readonly #views: [PathBytes, PathBytes];
  #pool: Buffer;
  #used = 0;

  constructor(bytes: Buffer, version: number, count: number, end: number) {
    this.#bytes = bytes;
    this.#folded = version === 4;
    this.#end = end;
    this.#start = new Uint32Array(count);
    this.#stop = new Uint32Array(count);
    this.#pool = this.#folded ? Buffer.allocUnsafe(Math.max(4096, bytes.length)) : bytes;
    const view = (): PathBytes => ({ bytes: this.#pool, start: 0, end: 0 });
    this.#views = [view(), view()];
  }

  /** Reads the path of entry `i`, which begins at `entry`; returns where the next entry begins. */
  read(i: number, entry: number, offset: number): number {
    const from = entry + offset;
    const stop = this.#folded ? this.#unfold(i, from) : this.#readInPlace(i, from);
    this.#checkLength(i, entry);
    // Versions 2 and 3: one to eight NULs, so that the whole entry is a multiple of eight.
    const next = this.#folded ? stop + 1 : entry + ((stop - entry + 8) & ~7);
    if (next > this.#end) throw damaged();
    return next;
  }

  /** A view on the path of entry `i`, valid until that of `i + 2` is asked for. */
  path(i: number): PathBytes {
    const view = this.#views[i % 2 === 0 ? 0 : 1];
    view.bytes = this.#pool;
    view.start = this.#start[i] as number;
    view.end = this.#stop[i] as number;
    return view;
  }

  result(): { paths: Buffer; pathStart: Uint32Array; pathEnd: Uint32Array } {
    return { paths: this.#pool, pathStart: this.#start, pathEnd: this.#stop };
  }

  #readInPlace(i: number, from: number): number {
    const stop = this.#terminator(from);
    this.#start[i] = from;
    this.#stop[i] = stop;
    return stop;
  }

  /** Version 4: the number of bytes to drop from the end of the path before, then the new end. */
  #unfold(i: number, from: number): number {
    const [dropped, at] = this.#varint(from);
    const before = i === 0 ? { start: 0, end: 0 } : this.path(i - 1);
    const kept = before.end - before.start - dropped;
    if (kept < 0) throw damaged();
    const stop = this.#terminator(at);
    const length = kept + stop - at;
    if (length > MAX_PATH) throw damaged();
    this.#reserve(length);
    this.#pool.copyWithin(this.#used, before.start, before.start + kept);
    this.#bytes.copy(this.#pool, this.#used + kept, at, stop);
    this.#start[i] = this.#used;
    this.#used += length;
    this.#stop[i] = this.#used;
    return stop;
  }

  /** An entry also states the length of its path, as far as that fits. */
  #checkLength(i: number, entry: number): void {
    const length = (this.#stop[i] as number) - (this.#start[i] as number);
    const said = this.#bytes.readUInt16BE(entry + ENTRY.flags) & FLAG.nameLength;
    // Only an entry that replaces one of the shared index of a split index has no path.
    if (length === 0) throw new Refusal('split-index');
    if (said !== Math.min(length, FLAG.nameLength)) throw damaged();
  }

  #terminator(from: number): number {
    for (let at = from; at < this.#end && at - from <= MAX_PATH; at += 1) {
      if (this.#bytes[at] === 0) return at;
    }
    throw damaged();
  }

  #varint(from: number): [value: number, next: number] {
    let value = -1;
    for (let at = from; at < this.#end && at - from < 4; at += 1) {
      const byte = this.#bytes[at] as number;
      value = ((value + 1) << 7) | (byte & 0x7f);
      if (byte < 0x80) return [value, at + 1];
    }
    throw damaged();
  }

  #reserve(length: number): void {
    if (this.#used + length <= this.#pool.length) return;
    if (this.#pool.length >= MAX_POOL) throw damaged();
    const larger = Buffer.allocUnsafe(this.#pool.length * 2);
    this.#pool.copy(larger, 0, 0, this.#used);
    this.#pool = larger;
  }
}

function damaged(): Refusal {
  return new Refusal('index-damaged');
}
