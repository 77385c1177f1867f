import type { BlobId } from '../../model/ids.ts';
import { ABSENT, type EntryType, type State, type UnknownReason } from '../../model/state.ts';

/** A state as it lies in a row, in the order of its columns: type, mode, blob, size, reason. */
export type StateColumns = readonly [
  type: string | null,
  mode: number | null,
  blob: Uint8Array | null,
  size: number | null,
  reason: string | null,
];

/** Null, an open change's after, fills no column. */
export function toColumns(state: State | null): StateColumns {
  if (state === null) return [null, null, null, null, null];
  if (state.kind === 'absent') return ['absent', null, null, null, null];
  if (state.kind === 'unknown') return ['unknown', null, null, null, state.reason];
  const blob = state.blob === null ? null : hashToBytes(state.blob);
  return [state.type, state.mode, blob, state.size, null];
}

export function fromColumns(
  type: string,
  mode: number | null,
  blob: Uint8Array | null,
  size: number | null,
  reason: string | null,
): State {
  if (type === 'absent') return ABSENT;
  if (type === 'unknown') return { kind: 'unknown', reason: reason as UnknownReason };
  return {
    kind: 'captured',
    type: type as EntryType,
    mode: mode ?? 0,
    blob: blob === null ? null : bytesToHash(blob),
    size: size ?? 0,
  };
}

export function hashToBytes(id: BlobId): Uint8Array {
  return Buffer.from(id, 'hex');
}

export function bytesToHash(bytes: Uint8Array): BlobId {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex') as BlobId;
}
