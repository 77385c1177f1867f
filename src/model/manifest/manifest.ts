import { bytesToPath, pathToBytes, type TrackedPath } from '../path.ts';
import { UNKNOWN_REASONS, unknown } from '../state.ts';
import {
  type BaselineState,
  DIRECTORY,
  FILE,
  GIT,
  GIT_KEY_BYTES,
  KEY_BYTES,
  keyToBlob,
  UNKNOWN,
} from './entry.ts';
import { type Columns, readColumns } from './layout.ts';

const SLASH = 0x2f;

/**
 * The list of a baseline: every path in scope with its state, in the order of a walk, where a folder
 * stands as its name with a "/" behind it.
 */
export class Manifest {
  readonly #columns: Columns;

  constructor(bytes: Uint8Array) {
    this.#columns = readColumns(bytes);
  }

  get count(): number {
    return this.#columns.count;
  }

  path(at: number): TrackedPath {
    return bytesToPath(this.#pathBytes(at)) as TrackedPath;
  }

  state(at: number): BaselineState {
    const { kinds, modes, sizes } = this.#columns;
    const kind = kinds[at] ?? UNKNOWN;
    const mode = modes[at] ?? 0;
    const size = sizes[at] ?? 0;
    if (kind >= UNKNOWN) return unknown(UNKNOWN_REASONS[kind - UNKNOWN] ?? 'not-seen');
    if (kind === DIRECTORY) return { kind: 'captured', type: 'directory', mode, blob: null, size };
    const key = this.#key(at);
    if (kind === GIT) return { kind: 'git', mode, size, key: key.slice(0, GIT_KEY_BYTES) };
    const type = kind === FILE ? 'file' : 'symlink';
    return { kind: 'captured', type, mode, blob: keyToBlob(key), size };
  }

  /** What was at a path, or null when nothing was. */
  find(path: TrackedPath): BaselineState | null {
    const bytes = pathToBytes(path);
    const at = this.#search(bytes, false) ?? this.#search(bytes, true);
    return at === null ? null : this.state(at);
  }

  *[Symbol.iterator](): Generator<[TrackedPath, BaselineState]> {
    for (let at = 0; at < this.count; at += 1) yield [this.path(at), this.state(at)];
  }

  #search(wanted: Uint8Array, isFolder: boolean): number | null {
    let low = 0;
    let high = this.count - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const order = this.#compare(middle, wanted, isFolder);
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return null;
  }

  #compare(at: number, wanted: Uint8Array, isFolder: boolean): number {
    const { ends, paths, kinds } = this.#columns;
    const start = ends[at - 1] ?? 0;
    const length = (ends[at] ?? 0) - start;
    const shorter = Math.min(length, wanted.length);
    for (let step = 0; step < shorter; step += 1) {
      const order = (paths[start + step] ?? 0) - (wanted[step] ?? 0);
      if (order !== 0) return order;
    }
    const next = length > shorter ? (paths[start + shorter] ?? 0) : endOf(kinds[at] === DIRECTORY);
    const wantedNext = wanted.length > shorter ? (wanted[shorter] ?? 0) : endOf(isFolder);
    // One is the other with more behind it; the longer one comes after what ends here.
    return next - wantedNext || length - wanted.length;
  }

  #pathBytes(at: number): Uint8Array {
    const { ends, paths } = this.#columns;
    return paths.subarray(ends[at - 1] ?? 0, ends[at] ?? 0);
  }

  #key(at: number): Uint8Array {
    return this.#columns.keys.subarray(at * KEY_BYTES, (at + 1) * KEY_BYTES);
  }
}

function endOf(isFolder: boolean): number {
  return isFolder ? SLASH : -1;
}
