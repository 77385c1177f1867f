import { pathToBytes, type TrackedPath } from '../path.ts';
import {
  type BaselineState,
  blobToKey,
  DIRECTORY,
  FILE,
  GIT,
  KEY_BYTES,
  REASONS,
  SYMLINK,
  UNKNOWN,
} from './entry.ts';
import { cutTo, newColumns } from './layout.ts';

// A text has at most three bytes for each of its units.
const BYTES_PER_UNIT = 3;
const encoder = new TextEncoder();

/** Collects the entries of a manifest, which must come in its order. */
export class ManifestWriter {
  readonly #paths: TrackedPath[] = [];
  readonly #states: BaselineState[] = [];
  #units = 0;

  add(path: TrackedPath, state: BaselineState): void {
    this.#paths.push(path);
    this.#states.push(state);
    this.#units += path.length;
  }

  finish(): Uint8Array {
    const [bytes, columns] = newColumns(this.#paths.length, this.#units * BYTES_PER_UNIT);
    let end = 0;
    for (const [at, path] of this.#paths.entries()) {
      end += writePath(columns.paths, end, path);
      columns.ends[at] = end;
    }
    for (const [at, state] of this.#states.entries()) {
      columns.kinds[at] = kindOf(state);
      if (state.kind === 'unknown') continue;
      columns.modes[at] = state.mode;
      columns.sizes[at] = state.size;
      const key = keyOf(state);
      if (key !== null) columns.keys.set(key, at * KEY_BYTES);
    }
    return cutTo(bytes, end);
  }
}

function writePath(into: Uint8Array, at: number, path: TrackedPath): number {
  if (path.isWellFormed()) return encoder.encodeInto(path, into.subarray(at)).written;
  const bytes = pathToBytes(path);
  into.set(bytes, at);
  return bytes.length;
}

function kindOf(state: BaselineState): number {
  if (state.kind === 'unknown') return UNKNOWN + REASONS.indexOf(state.reason);
  if (state.kind === 'git') return GIT;
  if (state.type === 'directory') return DIRECTORY;
  return state.type === 'file' ? FILE : SYMLINK;
}

function keyOf(state: Exclude<BaselineState, { kind: 'unknown' }>): Uint8Array | null {
  if (state.kind === 'git') return state.key;
  return state.blob === null ? null : blobToKey(state.blob);
}
