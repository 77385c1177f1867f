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
  /** Permission bits (0o777); 0o777 for a link, whose own mode means nothing. */
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

/** A state in the one form that each kind of entry has. Set-id and sticky bits are never recorded. */
export const STATE: Kind<State> = tagged('kind', {
  absent: exact({ kind: oneOf('absent') }),
  unknown: exact({ kind: oneOf('unknown'), reason: oneOf(...UNKNOWN_REASONS) }),
  captured: where(
    exact({
      kind: oneOf('captured'),
      type: oneOf(...ENTRY_TYPES),
      mode: integer(0, 0o777),
      blob: nullable(matching<BlobId>(HASH, 'a SHA-256')),
      size: integer(0),
    }),
    'an entry with the content and the mode that its type has',
    ({ type, mode, blob, size }) => {
      if (type === 'directory') return blob === null && size === 0;
      return blob !== null && (type !== 'symlink' || mode === 0o777);
    },
  ),
});

export const ABSENT: Absent = { kind: 'absent' };

export function unknown(reason: UnknownReason): Unknown {
  return { kind: 'unknown', reason };
}

/** Whether two states are known to be the same. Two unknowns never are. */
export function sameState(a: State, b: State): boolean {
  if (a.kind === 'absent' || b.kind === 'absent') return a.kind === b.kind;
  if (a.kind === 'unknown' || b.kind === 'unknown') return false;
  return a.type === b.type && a.mode === b.mode && a.blob === b.blob;
}

/**
 * Whether a chain may go from one state to the next without a change in between. Unlike `sameState`,
 * two unknowns of one reason join: nothing was seen to happen.
 */
export function joins(a: State, b: State): boolean {
  if (a.kind === 'unknown' && b.kind === 'unknown') return a.reason === b.reason;
  return sameState(a, b);
}

export function isDirectory(state: State): state is Captured & { readonly type: 'directory' } {
  return state.kind === 'captured' && state.type === 'directory';
}
