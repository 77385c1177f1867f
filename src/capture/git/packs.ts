import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { readFileOrNull } from '../../fs/read-file.ts';
import { GitPackIndex } from '../../store/git-pack-index.ts';
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
  let missing = Array.from({ length: oids.length / OID_SIZE }, (_, i) => i);
  const packs: string[] = [];
  for (const file of packNames(objects)) {
    const name = /^(pack-[0-9a-f]+)\.idx$/.exec(file)?.[1];
    const index = name === undefined ? null : openIndex(join(objects, 'pack', name));
    if (name === undefined || index === null) continue;
    const left = missing.filter((i) => index.find(oids, i * OID_SIZE) === -1);
    if (left.length < missing.length) packs.push(name);
    missing = left;
  }
  return { packs, missing };
}

// The index of a repository with ten million objects has a third of this.
const MAX_INDEX_BYTES = 1024 * 1024 * 1024;

/** Null unless the index is sound and belongs to the pack beside it. `base` has no extension. */
function openIndex(base: string): GitPackIndex | null {
  const bytes = readFileOrNull(`${base}.idx`, { maxBytes: MAX_INDEX_BYTES, followLink: true });
  const index = bytes && GitPackIndex.from(bytes);
  return index && packHash(base)?.equals(index.packHash) ? index : null;
}

/** A pack ends with its own hash, which its index repeats. Null where there is no such file, or no longer. */
function packHash(base: string): Buffer | null {
  let fd: number;
  try {
    // O_NONBLOCK: opening a FIFO, which a repository may hold here, must not hang.
    fd = openSync(`${base}.pack`, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile() || stats.size < OID_SIZE) return null;
    const hash = Buffer.alloc(OID_SIZE);
    readSync(fd, hash, 0, OID_SIZE, stats.size - OID_SIZE);
    return hash;
  } finally {
    closeSync(fd);
  }
}
