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
import { newColumns } from './layout.ts';

interface Entry {
  readonly path: Uint8Array;
  readonly state: BaselineState;
}

/** Collects the entries of a manifest, which must come in its order. */
export class ManifestWriter {
  readonly #entries: Entry[] = [];
  #pathBytes = 0;

  add(path: TrackedPath, state: BaselineState): void {
    const bytes = pathToBytes(path);
    this.#entries.push({ path: bytes, state });
    this.#pathBytes += bytes.length;
  }

  finish(): Uint8Array {
    const [bytes, columns] = newColumns(this.#entries.length, this.#pathBytes);
    let end = 0;
    for (const [at, { path, state }] of this.#entries.entries()) {
      columns.paths.set(path, end);
      end += path.length;
      columns.ends[at] = end;
      columns.kinds[at] = kindOf(state);
      if (state.kind === 'unknown') continue;
      columns.modes[at] = state.mode;
      columns.sizes[at] = state.size;
      const key = keyOf(state);
      if (key !== null) columns.keys.set(key, at * KEY_BYTES);
    }
    return bytes;
  }
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
