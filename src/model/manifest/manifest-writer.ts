import { pathToBytes, type TrackedPath } from '../path.ts';
import { UNKNOWN_REASONS } from '../state.ts';
import {
  type BaselineState,
  blobToKey,
  DIRECTORY,
  FILE,
  GIT,
  KEY_BYTES,
  SYMLINK,
  UNKNOWN,
} from './entry.ts';
import { newColumns } from './layout.ts';

const NOTHING = 255;
const encoder = new TextEncoder();

/**
 * Makes a manifest of so many entries, in its order. States go straight into their columns: a hundred
 * thousand of them are never there as objects at once.
 */
export class ManifestWriter {
  readonly #kinds: Uint8Array;
  readonly #modes: Uint16Array;
  readonly #sizes: Float64Array;
  readonly #keys: Uint8Array;

  constructor(count: number) {
    this.#kinds = new Uint8Array(count).fill(NOTHING);
    this.#modes = new Uint16Array(count);
    this.#sizes = new Float64Array(count);
    this.#keys = new Uint8Array(count * KEY_BYTES);
  }

  /** An entry that gets no state is left out. */
  set(entry: number, state: BaselineState): void {
    this.#kinds[entry] = kindOf(state);
    if (state.kind === 'unknown') return;
    this.#modes[entry] = state.mode;
    this.#sizes[entry] = state.size;
    const key = keyOf(state);
    if (key !== null) this.#keys.set(key, entry * KEY_BYTES);
  }

  finish(pathOf: (entry: number) => TrackedPath): Uint8Array {
    const [count, pathBytes] = this.#measure(pathOf);
    const [bytes, columns] = newColumns(count, pathBytes);
    let at = 0;
    let end = 0;
    for (const [entry, kind] of this.#kinds.entries()) {
      if (kind === NOTHING) continue;
      end += writePath(columns.paths, end, pathOf(entry));
      columns.ends[at] = end;
      columns.kinds[at] = kind;
      columns.modes[at] = this.#modes[entry] ?? 0;
      columns.sizes[at] = this.#sizes[entry] ?? 0;
      const key = entry * KEY_BYTES;
      columns.keys.set(this.#keys.subarray(key, key + KEY_BYTES), at * KEY_BYTES);
      at += 1;
    }
    return bytes;
  }

  #measure(pathOf: (entry: number) => TrackedPath): [count: number, pathBytes: number] {
    let count = 0;
    let pathBytes = 0;
    for (const [entry, kind] of this.#kinds.entries()) {
      if (kind === NOTHING) continue;
      count += 1;
      pathBytes += bytesIn(pathOf(entry));
    }
    return [count, pathBytes];
  }
}

// In ASCII a unit is a byte, and nearly all paths are.
const BEYOND_ASCII = /[^\0-\x7f]/;

function bytesIn(path: TrackedPath): number {
  return BEYOND_ASCII.test(path) ? pathToBytes(path).length : path.length;
}

function writePath(into: Uint8Array, at: number, path: TrackedPath): number {
  if (path.isWellFormed()) return encoder.encodeInto(path, into.subarray(at)).written;
  const bytes = pathToBytes(path);
  into.set(bytes, at);
  return bytes.length;
}

function kindOf(state: BaselineState): number {
  if (state.kind === 'unknown') return UNKNOWN + UNKNOWN_REASONS.indexOf(state.reason);
  if (state.kind === 'git') return GIT;
  if (state.type === 'directory') return DIRECTORY;
  return state.type === 'file' ? FILE : SYMLINK;
}

function keyOf(state: Exclude<BaselineState, { kind: 'unknown' }>): Uint8Array | null {
  if (state.kind === 'git') return state.key;
  return state.blob === null ? null : blobToKey(state.blob);
}
