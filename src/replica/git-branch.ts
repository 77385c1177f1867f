import { dirname, join, resolve } from 'node:path';
import { readFileOrNull } from '../fs/read-file.ts';

/** A file of git that names something is short; anything longer is not one. */
const LONGEST = 4096;
const BRANCH = /^ref: refs\/heads\/([^\n]+)\n?$/;
const COMMIT = /^([0-9a-f]{7})[0-9a-f]{33,57}\n?$/;
const POINTER = /^gitdir: ([^\n]+)\n?$/;

/**
 * The branch that is checked out in a folder, or the beginning of the commit where none is; null outside of a
 * repository. Reads files alone: a program for this would be started at the end of every turn.
 */
export function gitBranch(folder: string): string | null {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const head = headIn(join(at, '.git'));
    if (head !== null) return BRANCH.exec(head)?.[1] ?? COMMIT.exec(head)?.[1] ?? null;
    if (dirname(at) === at) return null;
  }
}

/** In a worktree and in a submodule, `.git` is a file that says where the folder is. */
function headIn(dotGit: string): string | null {
  const pointer = textOf(dotGit);
  const named = pointer === null ? undefined : POINTER.exec(pointer)?.[1];
  return textOf(join(named === undefined ? dotGit : resolve(dirname(dotGit), named), 'HEAD'));
}

function textOf(path: string): string | null {
  try {
    return readFileOrNull(path, { maxBytes: LONGEST, followLink: true })?.toString() ?? null;
  } catch {
    return null;
  }
}
