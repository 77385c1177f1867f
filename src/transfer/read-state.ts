import { type BlobId, isBlobId } from '../model/ids.ts';
import { ABSENT, type Captured, type State, UNKNOWN_REASONS, unknown } from '../model/state.ts';
import { invalid } from './refusals.ts';
import { integer, nullable, objectOf, oneOf, type Reader } from './strict.ts';

/** A state, in the one form that each kind of entry has. */
export const readState: Reader<State> = (name, value) => {
  const kind = (value as { kind?: unknown } | null)?.kind;
  if (kind === 'absent') return absent(name, value) && ABSENT;
  if (kind === 'unknown') return unknown(notRecorded(name, value).reason);
  const state = captured(name, value);
  const isFolder = state.type === 'directory';
  if (isFolder ? state.blob !== null || state.size !== 0 : state.blob === null) {
    throw invalid(`${name} has content that does not fit its type`);
  }
  if (state.type === 'symlink' && state.mode !== 0o777) throw invalid(`${name} has a mode`);
  return state;
};

const blobId: Reader<BlobId> = (name, value) => {
  if (typeof value === 'string' && isBlobId(value)) return value;
  throw invalid(`${name} is no SHA-256`);
};

const absent = objectOf({ kind: oneOf('absent') });
const notRecorded = objectOf({ kind: oneOf('unknown'), reason: oneOf(...UNKNOWN_REASONS) });
const captured: Reader<Captured> = objectOf({
  kind: oneOf('captured'),
  type: oneOf('file', 'symlink', 'directory'),
  mode: integer(0, 0o777),
  blob: nullable(blobId),
  size: integer(0, Number.MAX_SAFE_INTEGER),
});
