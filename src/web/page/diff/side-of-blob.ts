import {
  type ImageType,
  imageTypeOf,
  MAX_TEXT_BYTES,
  type Side,
  type SideState,
} from '../../api.ts';
import { request } from '../app/api-client.ts';
import { inProject } from '../app/projects.ts';

/** A state on record as a side of a diff: its content is fetched by its id. */
export async function sideOf(
  project: string,
  path: string,
  state: SideState,
  signal: AbortSignal,
): Promise<Side> {
  const side = (why: Side['why'], image: ImageType | null = null): Side => {
    return { state, text: null, why, image };
  };
  if (state === null) return side('absent');
  if (state.type === 'unknown') return side('unknown');
  if (state.type === 'directory') return side('folder');
  const { blob = null, size } = state;
  if (blob === null) return side('unknown');
  const image = imageTypeOf(path);
  // An SVG is text as well.
  const isText = image === null || image === 'image/svg+xml';
  if (!isText) return side('image', image);
  if (size > MAX_TEXT_BYTES) return side('too-large');
  const response = await request('GET', inProject(project, 'blobs', blob), { signal });
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.includes(0)) return side('binary');
  return { state, text: new TextDecoder().decode(bytes), why: null, image };
}
