import { exact, integer, type Kind, matching, nullable, oneOf, tagged, where } from './check.ts';
import { type BlobId, HASH } from './ids.ts';

/** Why the content of a path was not recorded. */
export type UnknownReason = (typeof UNKNOWN_REASONS)[number];

/** Stores and baselines hold the place of each in this list, so new ones are only ever appended. */
export const UNKNOWN_REASONS = [
  'too-large',
  'unreadable',
  'unstable',
  'not-seen',
  'past-limit',
  'special-file',
  'protected',
  'purged',
  'excluded',
  'damaged',
] as const;

export const ENTRY_TYPES = ['file', 'symlink', 'directory'] as const;

export type EntryType = (typeof ENTRY_TYPES)[number];

export interface Absent {
  readonly kind: 'absent';
}

export interface Captured {
  readonly kind: 'captured';
  readonly type: EntryType;
  /** Permission bits with sticky and set-id bits, and `OTHERS`; 0o777 for a link, whose own mode means nothing. */
  readonly mode: number;
  /** Content of a file, target of a link, null for a directory. */
  readonly blob: BlobId | null;
  readonly size: number;
}

export interface Unknown {
  readonly kind: 'unknown';
  readonly reason: UnknownReason;
}

/**
 * What was at a path at some moment. `unknown` is a value of its own: a rewind never deletes or
 * overwrites towards it.
 */
export type State = Absent | Captured | Unknown;

// These bits of a mode are remarks: they are recorded, but never restored, and a plan names them.

/**
 * Of a file. A restore must not hand out anybody's rights: it clears such a bit and never sets one. Of a folder,
 * set-gid is an ordinary bit.
 */
export const SET_ID = 0o6000;
/** The entry belonged to another user than the one who recorded it. */
export const OTHERS = 0o10000;

/** The bits of a mode that are restored. */
export function permissions({ type, mode }: Pick<Captured, 'type' | 'mode'>): number {
  return mode & ~remarksOn(type);
}

function remarksOn(type: EntryType): number {
  return type === 'directory' ? OTHERS : OTHERS | SET_ID;
}

/** The set-id bits of a file; 0 for anything else. */
export function setIdOf(state: State): number {
  return state.kind === 'captured' && state.type === 'file' ? state.mode & SET_ID : 0;
}

/**
 * A state as a restore leaves it. An entry that it changes in place keeps its owner, and those of its set-id bits
 * that the target has too.
 */
export function restored(target: State, inPlace: State | null): State {
  if (target.kind !== 'captured') return target;
  const owner = inPlace?.kind === 'captured' ? inPlace.mode & OTHERS : 0;
  const setId = inPlace === null ? 0 : setIdOf(inPlace) & setIdOf(target);
  return { ...target, mode: permissions(target) | owner | setId };
}

/** A state in the one form that each kind of entry has. */
export const STATE: Kind<State> = tagged('kind', {
  absent: exact({ kind: oneOf('absent') }),
  unknown: exact({ kind: oneOf('unknown'), reason: oneOf(...UNKNOWN_REASONS) }),
  captured: where(
    exact({
      kind: oneOf('captured'),
      type: oneOf(...ENTRY_TYPES),
      mode: integer(0, 0o17777),
      blob: nullable(matching<BlobId>(HASH, 'a SHA-256')),
      size: integer(0),
    }),
    'an entry with the content and the mode that its type has',
    ({ type, mode, blob, size }) => {
      if (type === 'directory') return blob === null && size === 0 && (mode & 0o4000) === 0;
      return blob !== null && (type !== 'symlink' || (mode & ~OTHERS) === 0o777);
    },
  ),
});

export const ABSENT: Absent = { kind: 'absent' };

export function unknown(reason: UnknownReason): Unknown {
  return { kind: 'unknown', reason };
}

/** Whether two states are known to be the same, without the remarks. Two unknowns never are. */
export function sameState(a: State, b: State): boolean {
  if (a.kind === 'absent' || b.kind === 'absent') return a.kind === b.kind;
  if (a.kind === 'unknown' || b.kind === 'unknown') return false;
  return a.type === b.type && permissions(a) === permissions(b) && a.blob === b.blob;
}

/** As `sameState`, with the set-id bits of a file. */
export function sameWithSetId(a: State, b: State): boolean {
  return sameState(a, b) && setIdOf(a) === setIdOf(b);
}

/**
 * Whether a chain may go from one state to the next without a change in between. Two unknowns of one reason join:
 * nothing was seen to happen.
 */
export function joins(a: State, b: State): boolean {
  if (a.kind === 'unknown' && b.kind === 'unknown') return a.reason === b.reason;
  return sameWithSetId(a, b);
}

export function isDirectory(state: State): state is Captured & { readonly type: 'directory' } {
  return state.kind === 'captured' && state.type === 'directory';
}
