import { readdirSync } from 'node:fs';
import { bytesToPath, childOf, pathToBytes, type TrackedPath } from '../../model/path.ts';
import type { ScanIndex } from './scan-index.ts';

/** The names that rules leave out, in folders that are in scope themselves. What is in git's own is no news. */
export function ignoredNames(root: string, index: ScanIndex): TrackedPath[] {
  const { folderEntry, sizes } = index.columns;
  const found: TrackedPath[] = [];
  for (let folder = 0; folder < sizes.folders; folder += 1) {
    const path = folder === 0 ? null : index.path(folderEntry[folder] as number);
    const scope = index.scopeOf(folder);
    for (const { name, isDirectory } of entriesOf(root, path)) {
      if (name !== '.git' && scope.ignores(name, isDirectory)) found.push(childOf(path, name));
    }
  }
  return found;
}

function entriesOf(
  root: string,
  folder: TrackedPath | null,
): { readonly name: string; readonly isDirectory: boolean }[] {
  const at = Buffer.from(pathToBytes(folder === null ? root : `${root}/${folder}`));
  try {
    return readdirSync(at, { encoding: 'buffer', withFileTypes: true }).map((entry) => ({
      name: bytesToPath(entry.name),
      isDirectory: entry.isDirectory(),
    }));
  } catch {
    // Gone since the walk, or closed to us: then nothing in it is left out by a rule.
    return [];
  }
}
