import { lstatSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readOwnText } from './own-text.ts';

/** A repository of git, and where its parts lie. Whose it is has not been asked. */
export interface FoundRepository {
  /** The folder that holds ".git": the project, or one above it. */
  readonly top: string;
  readonly gitDir: string;
  /** What linked worktrees share: objects, references, configuration. */
  readonly commonDir: string;
}

/** Looks upward from a project for the repository that it lies in, as git does. */
export function findRepository(root: string): FoundRepository | null {
  const device = deviceOf(root);
  for (let top = root; ; top = dirname(top)) {
    // Git does not cross into another file system.
    if (deviceOf(top) !== device) return null;
    const gitDir = gitDirIn(top);
    if (gitDir !== null) return { top, gitDir, commonDir: commonDirOf(gitDir) };
    if (top === dirname(top)) return null;
  }
}

/** The git directory of a worktree whose top is this; null where ".git" is none and leads to none. */
export function gitDirIn(folder: string): string | null {
  const dotGit = join(folder, '.git');
  if (isGitDir(dotGit)) return dotGit;
  const pointer = /^gitdir: ([^\0]+)$/.exec(readOwnText(dotGit) ?? '')?.[1];
  if (pointer === undefined) return null;
  const gitDir = resolve(folder, pointer);
  return isGitDir(gitDir) ? gitDir : null;
}

/** Where objects, references and configuration lie: linked worktrees share those of one repository. */
export function commonDirOf(gitDir: string): string {
  return resolve(gitDir, readOwnText(join(gitDir, 'commondir')) ?? '.');
}

function isGitDir(folder: string): boolean {
  try {
    return lstatSync(join(folder, 'HEAD'), { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Not to be looked into, or a link that leads nowhere.
    return false;
  }
}

function deviceOf(folder: string): bigint {
  return statSync(folder, { bigint: true }).dev;
}
