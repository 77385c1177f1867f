import type { BlobId } from '../model/ids.ts';
import {
  ABSENT,
  type EntryType,
  OTHERS,
  SET_ID,
  type State,
  type UnknownReason,
} from '../model/state.ts';

const PERMISSIONS = 0o7777;
// Above the type, where `st_mode` has nothing.
const OTHERS_BIT = 0o200000;
/** The bits of a mode column that hold the type. */
const TYPE_MASK = 0o170000;
const ABSENT_MODE = 0;

// As `st_mode` has them.
const TYPE_BITS: Readonly<Record<EntryType, number>> = {
  file: 0o100000,
  symlink: 0o120000,
  directory: 0o040000,
};

// Stores hold these numbers.
const REASON_CODES: Readonly<Record<UnknownReason, number>> = {
  'too-large': -1,
  unreadable: -2,
  unstable: -3,
  'not-seen': -4,
  'past-limit': -5,
  'special-file': -6,
  protected: -7,
  purged: -8,
  excluded: -9,
  damaged: -10,
};
const REASONS: ReadonlyMap<number, UnknownReason> = new Map(
  Object.entries(REASON_CODES).map(([reason, code]) => [code, reason as UnknownReason]),
);

// No bytes have this hash. For a blob whose row is gone: it reads as missing, and equals nothing.
const LOST = '0'.repeat(64) as BlobId;

/** A state without its blob, as one number: 0 absent, below it unknown, above it as `st_mode`. */
export function modeOf(state: State): number {
  if (state.kind === 'absent') return ABSENT_MODE;
  if (state.kind === 'unknown') return REASON_CODES[state.reason];
  const others = (state.mode & OTHERS) === 0 ? 0 : OTHERS_BIT;
  return TYPE_BITS[state.type] | (state.mode & PERMISSIONS) | others;
}

type Row = Readonly<Record<string, unknown>>;

/** The state that columns of a row hold; null for none. Hash and size are those of the blob that the row names. */
export function stateIn(row: Row, mode: string, hash: string, size: string): State | null {
  if (row[mode] === null) return null;
  return stateFrom(row[mode] as number, row[hash] as Uint8Array | null, row[size] as number | null);
}

function stateFrom(mode: number, hash: Uint8Array | null, size: number | null): State {
  if (mode === ABSENT_MODE) return ABSENT;
  if (mode < 0) return { kind: 'unknown', reason: REASONS.get(mode) as UnknownReason };
  const type = typeOf(mode);
  const others = (mode & OTHERS_BIT) === 0 ? 0 : OTHERS;
  const captured = { kind: 'captured', type, mode: (mode & PERMISSIONS) | others } as const;
  if (type === 'directory') return { ...captured, blob: null, size: 0 };
  return { ...captured, blob: hash === null ? LOST : bytesToHash(hash), size: size ?? 0 };
}

function typeOf(mode: number): EntryType {
  const bits = mode & TYPE_MASK;
  if (bits === TYPE_BITS.directory) return 'directory';
  return bits === TYPE_BITS.symlink ? 'symlink' : 'file';
}

/** A number of `modeOf` without its remarks, which a chain does not carry on. */
export function withoutRemarks(mode: number): number {
  if (mode <= ABSENT_MODE) return mode;
  return mode & (typeOf(mode) === 'directory' ? ~OTHERS_BIT : ~(OTHERS_BIT | SET_ID));
}

export function hashToBytes(id: BlobId): Uint8Array {
  return Buffer.from(id, 'hex');
}

export function bytesToHash<Id extends string = BlobId>(bytes: Uint8Array): Id {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex') as Id;
}
