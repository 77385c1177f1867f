import { nameOf, type TrackedPath } from '../model/path.ts';
import type { State } from '../model/state.ts';

/** A path that differs; this is all that `findRenames` needs. */
export interface Moved {
  readonly path: TrackedPath;
  readonly before: State;
  readonly after: State;
}

/**
 * Maps created paths to deleted ones with the same content, which were probably renamed. Only for display:
 * a rewind treats both names separately. Each deleted path is used once; one with the same last name is
 * preferred.
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

/** Null for folders and empty files, by which no rename can be recognized. */
function contentOf(state: State): string | null {
  if (state.kind !== 'captured' || state.blob === null || state.size === 0) return null;
  return `${state.type} ${state.blob}`;
}

/** From this share of common text on, a file that appeared where another one went is that one, renamed. */
export const LEAST_SIMILARITY = 0.5;

/** The share of two texts that stands in both, from 0 to 1, whatever the order of the lines. */
export function similarity(a: readonly string[], b: readonly string[]): number {
  const left = new Map<string, number>();
  for (const line of a) left.set(line, (left.get(line) ?? 0) + line.length);
  let common = 0;
  for (const line of b) {
    const rest = left.get(line) ?? 0;
    if (rest === 0) continue;
    common += line.length;
    left.set(line, rest - line.length);
  }
  const sizeOf = (lines: readonly string[]) => lines.reduce((sum, { length }) => sum + length, 0);
  return common / Math.max(sizeOf(a), sizeOf(b), 1);
}
