import { ancestors, type TrackedPath } from '../model/path.ts';
import type { StoreReader } from '../store/store.ts';

export type IsPrivate = (path: TrackedPath) => boolean;

/**
 * Says which paths are private: git ignores them, and they were kept all the same, or they lie below such a
 * folder. Whatever shows or sends contents to others has to ask here first. A path stays private, although the
 * rule may be gone: whoever removed it did not say that the content may be shown.
 */
export async function privatePaths(store: StoreReader): Promise<IsPrivate> {
  const known = new Set(await store.timeline.privatePaths());
  return (path) => known.has(path) || ancestors(path).some((folder) => known.has(folder));
}
