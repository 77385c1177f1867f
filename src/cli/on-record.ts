import { isThere } from '../fs/entries.ts';
import {
  displayText,
  isBelow,
  isOutside,
  type NamedPath,
  type Savepoint,
  selectedPath,
  type TrackedPath,
} from '../index.ts';
import type { Call } from './command.ts';

/** A path that was named on the command line, and of which no change is on record. */
export interface Unmatched {
  /** As it was typed. */
  readonly typed: string;
  /** Whether there is such a file in the project all the same. */
  readonly exists: boolean;
}

/** Those of the named paths that match no change. `found` are paths with changes, known already. */
export async function unmatchedPaths(
  savepoint: Savepoint,
  typed: readonly string[],
  paths: readonly NamedPath[] | undefined,
  found: readonly TrackedPath[],
): Promise<Unmatched[]> {
  const unmatched: Unmatched[] = [];
  for (const [i, named] of (paths ?? []).entries()) {
    const path = selectedPath(savepoint.root, named);
    if (found.some((other) => covers(path, other)) || (await hasChanges(savepoint, path))) continue;
    const exists = !isOutside(path) && standsThere(named);
    unmatched.push({ typed: typed[i] ?? path, exists });
  }
  return unmatched;
}

export function sayUnmatched(call: Call, unmatched: readonly Unmatched[]): void {
  for (const line of unmatchedText(unmatched)) call.say(line);
}

export function unmatchedText(unmatched: readonly Unmatched[]): string[] {
  return unmatched.map(
    ({ typed, exists }) => `${displayText(typed)}: ${exists ? 'no change' : 'nothing'} on record`,
  );
}

/** Whether a change of the path, or of something below it, is on record. */
export function isOnRecord(savepoint: Savepoint, path: NamedPath): Promise<boolean> {
  return hasChanges(savepoint, selectedPath(savepoint.root, path));
}

async function hasChanges(savepoint: Savepoint, path: TrackedPath): Promise<boolean> {
  if ((await savepoint.changes({ paths: [path] })).length > 0) return true;
  // The store knows paths by their names only; what lies in a folder is found among all of them.
  return (await savepoint.changes({})).some((change) => isBelow(change.path, path));
}

function covers(named: TrackedPath, path: TrackedPath): boolean {
  return path === named || isBelow(path, named);
}

function standsThere(path: NamedPath): boolean {
  const name = typeof path === 'string' ? path : Buffer.from(path);
  try {
    return isThere(name);
  } catch {
    return false;
  }
}
