import type { ImageType, Side, SideState } from '../../api.ts';
import { request } from '../app/api-client.ts';
import { inProject } from '../app/projects.ts';

/** Longer texts are not compared in a browser; the same limit as the server's. */
const MOST_BYTES = 2 * 1024 * 1024;

const IMAGES: Readonly<Record<string, ImageType>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  bmp: 'image/bmp',
  ico: 'image/x-icon',
};
const SVG = /\.svg$/i;

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
  const image = IMAGES[/\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ''];
  if (image !== undefined) return side('image', image);
  if (size > MOST_BYTES) return side('too-large');
  const response = await request('GET', inProject(project, 'blobs', blob), { signal });
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.includes(0)) return side('binary');
  const svg = SVG.test(path) ? 'image/svg+xml' : null;
  return { state, text: new TextDecoder().decode(bytes), why: null, image: svg };
}
