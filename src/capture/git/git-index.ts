import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { ByteText } from '../ignore/pattern.ts';
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
  readonly bytes: Buffer;
  /** Where each entry begins in `bytes`. */
  readonly at: Uint32Array;
  /** The path of each entry. In ascending order, without duplicates. */
  readonly paths: readonly ByteText[];
}

export interface IndexFile {
  readonly entries: IndexEntries;
  /** When git last wrote the index: a file that is not older may have changed without git's notice. */
  readonly writtenMs: number;
}

// No text can be longer. The index of a million files has a fifth of this.
const MAX_SIZE = 512 * 1024 * 1024 - 24;
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
  const body = bytes.subarray(0, end);
  const count = bytes.readUInt32BE(8);
  // Checked before anything is allocated for the number that the header claims.
  if (count > (end - HEADER_SIZE) / ENTRY.end) throw damaged();
  const at = new Uint32Array(count);
  const paths: ByteText[] = [];
  let position = HEADER_SIZE;
  let total = 0;
  for (let i = 0; i < count; i += 1) {
    if (position + ENTRY.end > end) throw damaged();
    at[i] = position;
    const previous = paths[i - 1] ?? '';
    const from = position + pathOffset(bytes, position, version);
    const { path, stop } = version === 4 ? unfold(body, from, previous) : readPath(body, from);
    checkLength(bytes, position, path);
    if (path <= previous) throw damaged();
    paths.push(path);
    total += path.length;
    // In versions 2 and 3 one to eight NULs follow, so that the whole entry is a multiple of eight.
    position = version === 4 ? stop + 1 : position + ((stop - position + 8) & ~7);
    if (position > end || total > MAX_TOTAL) throw damaged();
  }
  checkExtensions(bytes, position, end);
  return { bytes, at, paths };
}

const MAX_PATH = 4096;
// In version 4 a small file can unfold to paths without end.
const MAX_TOTAL = 512 * 1024 * 1024;

/** A string of its own: a slice would keep the text of the whole file alive. */
function readPath(bytes: Buffer, from: number): { path: ByteText; stop: number } {
  const stop = bytes.indexOf(0, from);
  if (stop === -1 || stop - from > MAX_PATH) throw damaged();
  return { path: bytes.toString('latin1', from, stop), stop };
}

/** Version 4: the number of bytes to drop from the end of the path before, then the new end. */
function unfold(bytes: Buffer, from: number, previous: ByteText): { path: ByteText; stop: number } {
  let [dropped, at] = [-1, from];
  for (let byte = 128; byte >= 128; at += 1) {
    if (at >= bytes.length || at - from >= 4) throw damaged();
    byte = bytes.readUInt8(at);
    dropped = ((dropped + 1) << 7) | (byte & 0x7f);
  }
  const kept = previous.length - dropped;
  const { path: added, stop } = readPath(bytes, at);
  if (kept < 0 || kept + added.length > MAX_PATH) throw damaged();
  return { path: previous.slice(0, kept) + added, stop };
}

/** An entry also states the length of its path, as far as that fits. */
function checkLength(bytes: Buffer, position: number, { length }: ByteText): void {
  const said = bytes.readUInt16BE(position + ENTRY.flags) & FLAG.nameLength;
  // Only an entry that replaces one of the shared index of a split index has no path.
  if (length === 0) throw new Refusal('split-index');
  if (said !== Math.min(length, FLAG.nameLength)) throw damaged();
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

function damaged(): Refusal {
  return new Refusal('index-damaged');
}
