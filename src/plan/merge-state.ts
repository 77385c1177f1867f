import type { BlobId } from '../model/ids.ts';
import type { ConflictReason, SkipReason } from '../model/plan.ts';
import { type Captured, type State, sameState } from '../model/state.ts';
import { isBinary, mergeText, sameBytes } from './merge-text.ts';

/** A state on the way to the target; `bytes` are set when they came from a text merge. */
export interface Working {
  readonly state: State;
  readonly bytes?: Uint8Array;
}

export type MergeOutcome =
  | { readonly result: Working }
  | { readonly conflict: ConflictReason }
  | { readonly skip: SkipReason };

/** Where the bytes of a state come from; undefined where they could not be loaded. */
export type Contents = (state: Captured) => Uint8Array | undefined;

/**
 * Takes one run of changes out of what is there.
 *
 * @param base what the run left behind
 * @param theirs what there was before it: where to go
 * @param ours what is there now, with everybody else's changes
 */
export function mergeState(
  base: State,
  theirs: State,
  ours: Working,
  contents: Contents,
): MergeOutcome {
  if (theirs.kind === 'unknown') return { skip: `before-unknown-${theirs.reason}` };
  if (sameState(theirs, base)) return { result: ours };
  if (isAt(ours, base, contents)) return { result: { state: theirs } };
  if (isAt(ours, theirs, contents)) return { result: ours };
  if (ours.state.kind === 'unknown') return { conflict: 'current-unknown' };
  if (base.kind === 'unknown') {
    return { conflict: base.reason === 'damaged' ? 'after-damaged' : 'after-unknown' };
  }
  if (base.kind === 'absent' || theirs.kind === 'absent' || ours.state.kind === 'absent') {
    return { conflict: 'modify-delete' };
  }
  return mergeCaptured(base, theirs, { ...ours, state: ours.state }, contents);
}

/** Merged bytes have no blob yet: what they are the same as shows only in the bytes. */
function isAt({ state, bytes }: Working, other: State, contents: Contents): boolean {
  if (bytes === undefined || state.kind !== 'captured') return sameState(state, other);
  if (other.kind !== 'captured' || other.type !== state.type || other.mode !== state.mode) {
    return false;
  }
  const content = contents(other);
  return content !== undefined && sameBytes(content, bytes);
}

/** Content and mode each go their own way; a type that somebody changed leaves nothing to merge. */
function mergeCaptured(
  base: Captured,
  theirs: Captured,
  ours: Working & { readonly state: Captured },
  contents: Contents,
): MergeOutcome {
  if (base.type !== theirs.type || base.type !== ours.state.type)
    return { conflict: 'type-changed' };
  const mode = mergeMode(base.mode, theirs.mode, ours.state.mode);
  if (mode === null) return { conflict: 'mode-changed' };
  const merged = mergeContent(base, theirs, ours, contents);
  if (!('result' in merged)) return merged;
  const { state, bytes } = merged.result;
  const result = { ...(state as Captured), mode };
  return { result: bytes === undefined ? { state: result } : { state: result, bytes } };
}

function mergeContent(
  base: Captured,
  theirs: Captured,
  ours: Working & { readonly state: Captured },
  contents: Contents,
): MergeOutcome {
  if (ours.bytes === undefined && ours.state.blob === base.blob)
    return { result: { state: theirs } };
  if (theirs.blob === base.blob) return { result: ours };
  // Both sides came to the same content; they may differ in mode.
  if (ours.bytes === undefined && ours.state.blob === theirs.blob) return { result: ours };
  if (base.type !== 'file') return { conflict: 'overlapping-edits' };
  const baseBytes = contents(base);
  const theirBytes = contents(theirs);
  const ourBytes = ours.bytes ?? contents(ours.state);
  if (!baseBytes || !theirBytes || !ourBytes) return { skip: 'blob-corrupt' };
  const bytes = mergeText({ base: baseBytes, ours: ourBytes, theirs: theirBytes });
  if (bytes === null) {
    const binary = [baseBytes, theirBytes, ourBytes].some(isBinary);
    return { conflict: binary ? 'binary-changed' : 'overlapping-edits' };
  }
  return { result: { state: { ...ours.state, size: bytes.length }, bytes } };
}

function mergeMode(base: number, theirs: number, ours: number): number | null {
  if (ours === base || ours === theirs) return theirs;
  return theirs === base ? ours : null;
}

/** The blobs whose bytes a merge of these states can ask for. */
export function blobsOf(states: readonly State[]): BlobId[] {
  return states.flatMap((state) =>
    state.kind === 'captured' && state.type === 'file' && state.blob !== null ? [state.blob] : [],
  );
}
