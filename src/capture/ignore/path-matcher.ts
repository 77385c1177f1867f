import { ancestors, nameOf, type TrackedPath } from '../../model/path.ts';
import { byteText } from './byte-text.ts';
import { FolderView } from './folder-view.ts';
import { type IgnoreFile, parseIgnore } from './ignore-file.ts';

/** Whether patterns fit a path itself, or a folder above it. */
export type PathMatcher = (path: TrackedPath, isDirectory: boolean) => boolean;

const NONE: PathMatcher = () => false;

/**
 * Patterns as in a .gitignore at the project's root, asked about whole paths instead of while walking.
 * Below a folder that fits nothing is brought back by a "!", as in git. Of a path outside of the project
 * its folders count from the root of the file system.
 */
export function pathMatcher(patterns: readonly string[]): PathMatcher {
  if (patterns.length === 0) return NONE;
  const file = parseIgnore(patterns.join('\n'));
  return (path, isDirectory) => fits(file, path, isDirectory);
}

function fits(file: IgnoreFile, path: TrackedPath, isDirectory: boolean): boolean {
  let view = FolderView.of(file);
  for (const folder of ancestors(path)) {
    const name = byteText(nameOf(folder));
    if (view.judge(name, true) === true) return true;
    view = view.enter(name);
  }
  return view.judge(byteText(nameOf(path)), isDirectory) === true;
}
