import { stateJson } from '../../cli/json-shapes.ts';
import { isSavepointError, type Savepoint, type State } from '../../index.ts';
import type { Side, SideState } from '../api.ts';

/** Longer texts are not compared in a browser. */
export const MAX_TEXT_BYTES: number = 2 * 1024 * 1024;

/** The images that a browser shows, by their endings. */
const IMAGES = new Map([
  ['.png', 'image/png'],
  ['.jpg', 'image/jpeg'],
  ['.jpeg', 'image/jpeg'],
  ['.gif', 'image/gif'],
  ['.webp', 'image/webp'],
  ['.avif', 'image/avif'],
  ['.bmp', 'image/bmp'],
  ['.ico', 'image/x-icon'],
  ['.svg', 'image/svg+xml'],
]);

export const IMAGE_TYPES: readonly string[] = [...IMAGES.values()];

export function sideState(state: State): SideState {
  const json = stateJson(state);
  if (json === null || state.kind !== 'captured') return json;
  return { ...json, blob: state.blob };
}

/** Null where there are none, or the store cannot give them back. */
export async function bytesOf(savepoint: Savepoint, state: State): Promise<Uint8Array | null> {
  if (state.kind !== 'captured' || state.blob === null) return null;
  try {
    return await savepoint.readBlob(state.blob);
  } catch (error) {
    if (isSavepointError(error, 'blob-missing') || isSavepointError(error, 'blob-corrupt')) {
      return null;
    }
    throw error;
  }
}

/** One side of a diff. `bytes`: of a state that no blob holds, such as the file on disk. */
export function sideOf(path: string, state: State, bytes: Uint8Array | null): Side {
  const why = whyNoText(state, bytes);
  const ending = /\.\w+$/.exec(path)?.[0].toLowerCase() ?? '';
  const image = bytes === null ? null : (IMAGES.get(ending) ?? null);
  return {
    state: sideState(state),
    text: why === null && bytes !== null ? new TextDecoder().decode(bytes) : null,
    why: why === 'binary' && image !== null ? 'image' : why,
    image,
  };
}

function whyNoText(state: State, bytes: Uint8Array | null): Side['why'] {
  if (state.kind !== 'captured') return state.kind;
  if (state.type === 'directory') return 'folder';
  if (state.size > MAX_TEXT_BYTES) return 'too-large';
  if (bytes === null) return 'damaged';
  return bytes.includes(0) ? 'binary' : null;
}
