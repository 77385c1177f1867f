import { join } from 'node:path';
import { SavepointError } from '../../../model/errors.ts';
import { filesIn } from '../files-in.ts';
import { applyDelta } from './apply-delta.ts';
import { Damaged, isDamage } from './damaged.ts';
import { hasId } from './has-id.ts';
import { readWhole, withFile } from './open-file.ts';
import { type Entry, PackFile } from './pack-entry.ts';
import { PackIndex } from './pack-index.ts';

const KEY_BYTES = 20;
// The most that git makes. What a chain may cost is bounded by its bytes.
const MAX_DEPTH = 4095;
const MAX_INDEX_BYTES = 1024 * 1024 * 1024;
const MAX_CHAIN_BYTES = 4 * 1024 * 1024 * 1024;

/**
 * Reads blobs from the packs of a bare repository, with their indices (version 2), without git. Every
 * number in a file is doubted, and what comes out is compared with the object's id.
 */
export class GitObjects {
  readonly #folder: string;
  /** By the names of the packs; null where the index is damaged. */
  readonly #indices = new Map<string, PackIndex | null>();

  constructor(repository: string) {
    this.#folder = join(repository, 'objects', 'pack');
  }

  /** Throws `blob-missing`, or `blob-corrupt` when no place gives the right bytes. */
  read(id: Uint8Array): Uint8Array {
    const key = Buffer.from(id);
    if (key.length !== KEY_BYTES) throw missing(key);
    let found = this.#readAnywhere(key);
    // Packs may have come, or been put right, since we looked.
    if (!(found instanceof Uint8Array) && this.#look()) found = this.#readAnywhere(key);
    if (found === 'missing') throw missing(key);
    if (found === 'damaged') throw corrupt(key);
    // Callers get no Buffer, which is compared and printed differently.
    return new Uint8Array(found.buffer, found.byteOffset, found.length);
  }

  #readAnywhere(key: Buffer): Uint8Array | 'damaged' | 'missing' {
    let outcome: 'damaged' | 'missing' = 'missing';
    for (const place of this.#places(key)) {
      const bytes = attempt(place);
      if (bytes === null) continue;
      if (bytes !== 'damaged' && hasId(bytes, key)) return bytes;
      outcome = 'damaged';
    }
    return outcome;
  }

  /** Ways to read an object; one copy may be damaged and another whole. */
  *#places(key: Buffer): Generator<() => Uint8Array | null> {
    for (const [name, index] of this.#indices) {
      yield () => {
        if (index === null) throw new Damaged('a pack without an index');
        const offset = index.find(key);
        return offset === null ? null : this.#readPacked(name, index, offset);
      };
    }
  }

  #readPacked(name: string, index: PackIndex, offset: number): Uint8Array {
    return withFile(join(this.#folder, `${name}.pack`), (descriptor, size) =>
      resolve(new PackFile(descriptor, size), index, offset),
    );
  }

  /** Brings what we know up to the folder's entries. True when something changed. */
  #look(): boolean {
    const names = new Set(
      filesIn(this.#folder)
        .filter((file) => file.endsWith('.idx'))
        .map((file) => file.slice(0, -'.idx'.length)),
    );
    let changed = false;
    for (const name of this.#indices.keys()) {
      if (!names.has(name)) changed = this.#indices.delete(name) || changed;
    }
    for (const name of names) {
      if (this.#indices.get(name)) continue;
      this.#indices.set(name, loadIndex(join(this.#folder, `${name}.idx`)));
      changed = true;
    }
    return changed;
  }
}

/** Goes down to the object that stands for itself, then makes the others from it, one by one. */
function resolve(pack: PackFile, index: PackIndex, offset: number): Uint8Array {
  const deltas: Entry[] = [];
  let entry = pack.entry(offset);
  while (entry.kind === 'delta') {
    if (deltas.push(entry) > MAX_DEPTH) throw new Damaged('a chain that is too long');
    const { base } = entry;
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

function loadIndex(file: string): PackIndex | null {
  try {
    return new PackIndex(readWhole(file, MAX_INDEX_BYTES));
  } catch (error) {
    if (!isDamage(error)) throw error;
    return null;
  }
}

/** Git never stores a delta without its base in the same pack. */
function offsetIn(index: PackIndex, key: Buffer): number {
  const offset = index.find(key);
  if (offset === null) throw new Damaged('a delta without its base');
  return offset;
}

function attempt(read: () => Uint8Array | null): Uint8Array | 'damaged' | null {
  try {
    return read();
  } catch (error) {
    if (!isDamage(error)) throw error;
    return 'damaged';
  }
}

function missing(key: Buffer): SavepointError {
  const hex = key.toString('hex');
  return new SavepointError('blob-missing', `git object ${hex} is not among those kept`);
}

function corrupt(key: Buffer): SavepointError {
  const hex = key.toString('hex');
  return new SavepointError('blob-corrupt', `git object ${hex} is damaged where it was kept`);
}
