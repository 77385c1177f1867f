import { stateJson } from '../../cli/json-shapes.ts';
import { type BlobId, isSavepointError, type Savepoint, type State } from '../../index.ts';
import { imageTypeOf, MAX_TEXT_BYTES, type Side, type SideState } from '../api.ts';

export function sideState(state: State): SideState {
  const json = stateJson(state);
  if (json === null || state.kind !== 'captured') return json;
  return { ...json, blob: state.blob };
}

/** Null where there are none, or the store cannot give them back. */
export async function bytesOf(savepoint: Savepoint, state: State): Promise<Uint8Array | null> {
  if (state.kind !== 'captured' || state.blob === null) return null;
  return readOrNull(savepoint, state.blob);
}

async function readOrNull(savepoint: Savepoint, blob: BlobId): Promise<Uint8Array | null> {
  try {
    return await savepoint.readBlob(blob);
  } catch (error) {
    const isDamage =
      isSavepointError(error, 'blob-missing') || isSavepointError(error, 'blob-corrupt');
    if (isDamage) return null;
    throw error;
  }
}

/** One side of a diff. `bytes`: of a state that no blob holds, such as the file on disk. */
export function sideOf(path: string, state: State, bytes: Uint8Array | null): Side {
  const why = whyNoText(state, bytes);
  const image = imageTypeOf(path);
  const isImage = image !== null && bytes !== null;
  const text = why === null && bytes !== null ? new TextDecoder().decode(bytes) : null;
  return {
    state: sideState(state),
    text,
    why: why === 'binary' && isImage ? 'image' : why,
    image: isImage ? image : null,
  };
}

function whyNoText(state: State, bytes: Uint8Array | null): Side['why'] {
  if (state.kind !== 'captured') return state.kind;
  if (state.type === 'directory') return 'folder';
  if (state.size > MAX_TEXT_BYTES) return 'too-large';
  if (bytes === null) return 'damaged';
  return bytes.includes(0) ? 'binary' : null;
}
