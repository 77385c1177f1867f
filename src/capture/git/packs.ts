import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { OID_SIZE } from './git-index.ts';
import { packNames } from './repository.ts';

/** Which packs hold some objects. An object is named by its position in the list that was asked for. */
export interface ObjectPlaces {
  /** The packs that hold any of them, without extension. */
  readonly packs: readonly string[];
  /** Objects in no pack. Loose objects are not looked for: to copy the file takes less time. */
  readonly missing: readonly number[];
}

/** Looks for objects (ids of 20 bytes, one after the other) in a folder of objects. */
export function placesOf(objects: string, oids: Buffer): ObjectPlaces {
  const wanted = groupByFirstByte(oids);
  const packs = packsIn(objects).filter((name) => {
    const pack = PackIndex.open(join(objects, 'pack', name));
    return pack !== null && strikeOut(wanted, oids, pack);
  });
  return { packs, missing: wanted.flat() };
}

function packsIn(objects: string): string[] {
  return packNames(objects)
    .filter((name) => /^pack-[0-9a-f]+\.idx$/.test(name))
    .map((name) => name.slice(0, -'.idx'.length));
}

function groupByFirstByte(oids: Buffer): number[][] {
  const groups: number[][] = Array.from({ length: 256 }, () => []);
  for (let i = 0; i * OID_SIZE < oids.length; i += 1) groups[oids[i * OID_SIZE] ?? 0]?.push(i);
  return groups;
}

/** Removes the objects of a pack from the list; returns whether there were any. Closes the pack. */
function strikeOut(wanted: number[][], oids: Buffer, pack: PackIndex): boolean {
  let any = false;
  try {
    wanted.forEach((group, first) => {
      if (group.length === 0) return;
      const names = pack.names(first);
      const left = group.filter((i) => !hasName(names, oids, i * OID_SIZE));
      any ||= left.length < group.length;
      wanted[first] = left;
    });
  } finally {
    pack.close();
  }
  return any;
}

const MAGIC = 0xff744f63;
const TABLE_AT = 8;
const NAMES_AT = TABLE_AT + 256 * 4;
// Beside its name each object has a checksum and an offset of four bytes.
const BYTES_PER_OBJECT = OID_SIZE + 8;

/**
 * The index of one pack (version 2), for asking which objects the pack holds. Only the names with the
 * wanted first byte are read: histories have millions of objects.
 */
class PackIndex {
  readonly #fd: number;
  readonly #table: Buffer;

  private constructor(fd: number, table: Buffer) {
    this.#fd = fd;
    this.#table = table;
  }

  /** Null unless the index is sound and belongs to the pack beside it. `base` has no extension. */
  static open(base: string): PackIndex | null {
    const fd = openOrNull(`${base}.idx`);
    if (fd === null) return null;
    const table = soundTable(fd);
    if (table !== null && packHash(base)?.equals(readAt(fd, OID_SIZE, sizeOf(fd) - 2 * OID_SIZE))) {
      return new PackIndex(fd, table);
    }
    closeSync(fd);
    return null;
  }

  /** The names of all objects whose first byte this is, sorted, one after the other. */
  names(first: number): Buffer {
    const from = first === 0 ? 0 : this.#below(first - 1);
    const to = this.#below(first);
    return readAt(this.#fd, (to - from) * OID_SIZE, NAMES_AT + from * OID_SIZE);
  }

  close(): void {
    closeSync(this.#fd);
  }

  #below(first: number): number {
    return this.#table.readUInt32BE(first * 4);
  }
}

/** Whether a sorted list of names, as `names` gives it, has the one at `at` of `oids`. */
function hasName(names: Buffer, oids: Buffer, at: number): boolean {
  let low = 0;
  let high = names.length / OID_SIZE - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const order = compareNames(names, middle * OID_SIZE, oids, at);
    if (order === 0) return true;
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}

/** Faster than `Buffer.compare`, because the second or third byte mostly decides. */
function compareNames(a: Buffer, aAt: number, b: Buffer, bAt: number): number {
  for (let i = 0; i < OID_SIZE; i += 1) {
    const difference = (a[aAt + i] as number) - (b[bAt + i] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

function soundTable(fd: number): Buffer | null {
  const head = readAt(fd, NAMES_AT, 0);
  if (head.length < NAMES_AT || head.readUInt32BE(0) !== MAGIC || head.readUInt32BE(4) !== 2) {
    return null;
  }
  const table = head.subarray(TABLE_AT);
  for (let first = 1; first < 256; first += 1) {
    if (table.readUInt32BE(first * 4) < table.readUInt32BE(first * 4 - 4)) return null;
  }
  const objects = table.readUInt32BE(255 * 4);
  return sizeOf(fd) >= NAMES_AT + objects * BYTES_PER_OBJECT + 2 * OID_SIZE ? table : null;
}

/** A pack ends with its own hash, which its index repeats. */
function packHash(base: string): Buffer | null {
  const fd = openOrNull(`${base}.pack`);
  if (fd === null) return null;
  try {
    const size = sizeOf(fd);
    return size < OID_SIZE ? null : readAt(fd, OID_SIZE, size - OID_SIZE);
  } finally {
    closeSync(fd);
  }
}

/** Null where there is no such file, or git removed it because it packs anew. */
function openOrNull(path: string): number | null {
  try {
    // O_NONBLOCK: opening a FIFO, which a repository may hold here, must not hang.
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (fstatSync(fd).isFile()) return fd;
    closeSync(fd);
    return null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function sizeOf(fd: number): number {
  return fstatSync(fd).size;
}

function readAt(fd: number, length: number, position: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let read = 0;
  while (read < length) {
    const more = readSync(fd, bytes, read, length - read, position + read);
    if (more === 0) break;
    read += more;
  }
  return bytes.subarray(0, read);
}
