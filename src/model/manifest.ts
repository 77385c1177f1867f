import { SavepointError } from './errors.ts';
import type { BlobId, Seq } from './ids.ts';
import { bytesToPath, pathToBytes, type TrackedPath } from './path.ts';
import {
  type Captured,
  UNKNOWN_REASONS,
  type Unknown,
  type UnknownReason,
  unknown,
} from './state.ts';

/** The state of every path at the first scan, to which all changes are added. */
export interface Baseline {
  readonly seq: Seq;
  /** The blob that lists every path with its state; see `Manifest`. */
  readonly manifest: BlobId;
  /** Names of packs that hold contents which the manifest names. */
  readonly packs: readonly string[];
}

/** A file whose bytes git holds: nothing was read or copied, so there is no SHA-256 of it yet. */
export interface HeldByGit {
  readonly kind: 'git';
  readonly mode: number;
  readonly size: number;
  /** The object's id, 20 bytes. */
  readonly key: Uint8Array;
}

/** The state of a path when the baseline was made. */
export type BaselineState = Captured | Unknown | HeldByGit;

/** The kinds of entries as they are stored; from `UNKNOWN` on, the rest is the reason. */
const DIRECTORY = 0;
const FILE = 1;
const SYMLINK = 2;
const GIT = 3;
const UNKNOWN = 16;

/** A SHA-256; the id of a git object takes its first bytes. */
const KEY_BYTES = 32;
const GIT_KEY_BYTES = 20;

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

  /** The state of a path; null where nothing was there. */
  find(path: TrackedPath): BaselineState | null {
    const bytes = pathToBytes(path);
    const at = this.#search(bytes, false) ?? this.#search(bytes, true);
    return at === null ? null : this.state(at);
  }

  /** How many files git holds. */
  get heldByGit(): number {
    return this.#columns.kinds.reduce((count, kind) => (kind === GIT ? count + 1 : count), 0);
  }

  /** The paths whose content is not on record, with the reason. */
  *unknowns(): Generator<[TrackedPath, UnknownReason]> {
    for (const [at, kind] of this.#columns.kinds.entries()) {
      const state = kind < UNKNOWN ? null : this.state(at);
      if (state?.kind === 'unknown') yield [this.path(at), state.reason];
    }
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

const MAGIC = 0x5341564d;
const FORMAT = 1;
const HEADER_BYTES = 16;

/**
 * The columns of a manifest as views over its bytes. Columns of numbers, not records: a hundred thousand
 * paths are read without making an object for each.
 */
interface Columns {
  readonly count: number;
  readonly sizes: Float64Array;
  /** Where each path ends among the bytes of all paths. */
  readonly ends: Uint32Array;
  readonly modes: Uint16Array;
  readonly kinds: Uint8Array;
  readonly keys: Uint8Array;
  readonly paths: Uint8Array;
}

/** Lays out the columns for so many entries in new bytes, to be filled; paths come last. */
function newColumns(count: number, pathBytes: number): [Uint8Array, Columns] {
  const bytes = new Uint8Array(HEADER_BYTES + count * BYTES_PER_ENTRY + pathBytes);
  const header = new DataView(bytes.buffer);
  header.setUint32(0, MAGIC);
  header.setUint32(4, FORMAT);
  header.setUint32(8, count);
  header.setUint32(12, pathBytes);
  return [bytes, columnsOf(bytes, count)];
}

/** Throws `store-corrupt` where the bytes are no manifest of this format. */
function readColumns(given: Uint8Array): Columns {
  // Views of numbers need aligned bytes.
  const bytes = given.byteOffset % 8 === 0 ? given : given.slice();
  if (bytes.length < HEADER_BYTES) throw damaged();
  const header = new DataView(bytes.buffer, bytes.byteOffset);
  const count = header.getUint32(8);
  const known = header.getUint32(0) === MAGIC && header.getUint32(4) === FORMAT;
  const length = HEADER_BYTES + count * BYTES_PER_ENTRY + header.getUint32(12);
  if (!known || bytes.length !== length) throw damaged();
  return columnsOf(bytes, count);
}

const BYTES_PER_ENTRY = 8 + 4 + 2 + 1 + KEY_BYTES;

function columnsOf(bytes: Uint8Array, count: number): Columns {
  const { buffer } = bytes;
  let at = bytes.byteOffset + HEADER_BYTES;
  // Widest first, so that each column is aligned without padding.
  const take = (width: number): number => {
    const start = at;
    at += count * width;
    return start;
  };
  return {
    count,
    sizes: new Float64Array(buffer, take(8), count),
    ends: new Uint32Array(buffer, take(4), count),
    modes: new Uint16Array(buffer, take(2), count),
    kinds: new Uint8Array(buffer, take(1), count),
    keys: new Uint8Array(buffer, take(KEY_BYTES), count * KEY_BYTES),
    paths: new Uint8Array(buffer, at, bytes.byteOffset + bytes.length - at),
  };
}

function damaged(): SavepointError {
  return new SavepointError('store-corrupt', 'the list of the baseline is damaged');
}

function blobToKey(id: BlobId): Uint8Array {
  const key = new Uint8Array(KEY_BYTES);
  for (let at = 0; at < KEY_BYTES; at += 1) {
    key[at] = digit(id.charCodeAt(at * 2)) * 16 + digit(id.charCodeAt(at * 2 + 1));
  }
  return key;
}

function keyToBlob(key: Uint8Array): BlobId {
  let id = '';
  for (const byte of key) id += DIGIT_PAIRS[byte];
  return id as BlobId;
}

const DIGIT_PAIRS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** The value of a lower-case hexadecimal digit. */
function digit(code: number): number {
  return code < 0x3a ? code - 0x30 : code - 0x57;
}
