import { lstatSync, type Stats, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readRuleText } from './rule-text.ts';

/** The git repository that a project lies in, as far as its ignore rules go. */
export interface Repository {
  /** The folder that holds ".git": the project, or one above it. */
  readonly top: string;
  readonly gitDir: string;
  /** What linked worktrees share: configuration and info/exclude. */
  readonly commonDir: string;
}

/** Looks upward from the project, as git does. */
export function findRepository(root: string): Repository | null {
  const start = statSync(root);
  for (let at = root; ; at = dirname(at)) {
    const stats = at === root ? start : statSync(at);
    // git does not cross into another file system.
    if (stats.dev !== start.dev) return null;
    const gitDir = gitDirIn(at);
    if (gitDir !== null) {
      return at === root || isOurs(at, stats) ? repositoryAt(at, gitDir) : null;
    }
    if (at === dirname(at)) return null;
  }
}

/** Null where ".git" is neither a repository nor points to one. */
function gitDirIn(folder: string): string | null {
  const dotGit = join(folder, '.git');
  if (isGitDir(dotGit)) return dotGit;
  const pointer = /^gitdir: ([^\0]+?)[\r\n]*$/.exec(readShort(dotGit))?.[1];
  if (pointer === undefined) return null;
  const gitDir = resolve(folder, pointer);
  return isGitDir(gitDir) ? gitDir : null;
}

function isGitDir(folder: string): boolean {
  try {
    return lstatSync(join(folder, 'HEAD'), { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Not to be looked into, or a link that leads nowhere.
    return false;
  }
}

function repositoryAt(top: string, gitDir: string): Repository {
  const common = readShort(join(gitDir, 'commondir')).replace(/[\r\n]+$/, '');
  return { top, gitDir, commonDir: resolve(gitDir, common) };
}

/**
 * Rules of somebody else, in a folder above that others may write to, could keep our files out of
 * scope. git does not trust such a repository either.
 */
function isOurs(top: string, stats: Stats): boolean {
  const user = process.geteuid?.();
  return user === undefined || (stats.uid === user && lstatSync(join(top, '.git')).uid === user);
}

function readShort(path: string): string {
  return readRuleText(path, { followLink: true }) ?? '';
}
