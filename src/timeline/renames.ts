import { nameOf, type TrackedPath } from '../model/path.ts';
import type { State } from '../model/state.ts';

/** A path that differs, as far as a rename shows in it. */
export interface Moved {
  readonly path: TrackedPath;
  readonly before: State;
  readonly after: State;
}

/**
 * Which created paths are deleted ones under another name: those with the same content. For display
 * alone; a rewind judges both names for themselves. Each deleted path counts once; among several that
 * fit, one with the same last name.
 */
export function findRenames(diffs: readonly Moved[]): Map<TrackedPath, TrackedPath> {
  const gone = Map.groupBy(
    diffs.filter(({ after }) => after.kind === 'absent'),
    ({ before }) => contentOf(before),
  );
  const renames = new Map<TrackedPath, TrackedPath>();
  for (const { path, before, after } of diffs) {
    const content = before.kind === 'absent' ? contentOf(after) : null;
    const candidates = content === null ? [] : (gone.get(content) ?? []);
    const sameName = candidates.findIndex((other) => nameOf(other.path) === nameOf(path));
    const [from] = candidates.splice(Math.max(sameName, 0), 1);
    if (from !== undefined) renames.set(path, from.path);
  }
  return renames;
}

/** Null for what no rename can be told by: folders, and files without content. */
function contentOf(state: State): string | null {
  if (state.kind !== 'captured' || state.blob === null || state.size === 0) return null;
  return `${state.type} ${state.blob}`;
}
