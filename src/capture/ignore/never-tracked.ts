import type { TrackedPath } from '../../model/path.ts';
import { protectionOf } from '../../model/protection.ts';

/** As src/restore names the files that it stages and stashes beside a target. */
const COMPANION_PREFIX = '.savepoint-';

/** Names that no rule brings into scope: git's own folder or file, and our companions of files. */
export function isNeverTracked(name: string): boolean {
  return mayBeGit(name.charCodeAt(0))
    ? name.startsWith(COMPANION_PREFIX) || protectionOf(name as TrackedPath) === 'git'
    : false;
}

/** A quick look first: this is asked of every name. ".git", "git~1", or behind an invisible mark. */
function mayBeGit(first: number): boolean {
  return first === 0x2e || first === 0x67 || first === 0x47 || first > 0x7f;
}
