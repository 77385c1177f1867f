import { lstatSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readFileOrNull } from '../../fs/read-file.ts';

/** A git repository and its folders. Nobody has checked yet who owns it. */
export interface FoundRepository {
  /** The folder that holds ".git": the project, or one above it. */
  readonly top: string;
  readonly gitDir: string;
  /** The folder that linked worktrees share: objects, references, configuration. */
  readonly commonDir: string;
}

/** Looks upward from a project for the repository that it lies in, as git does. */
export function findRepository(root: string): FoundRepository | null {
  for (let top = root; ; top = dirname(top)) {
    // Git does not cross into another file system.
    if (top !== root && deviceOf(top) !== deviceOf(root)) return null;
    const gitDir = gitDirIn(top);
    if (gitDir !== null) return { top, gitDir, commonDir: commonDirOf(gitDir) };
    if (top === dirname(top)) return null;
  }
}

/**
 * The commit that git's HEAD names, read from its files: no program is started, nothing is written.
 * Null without git, before the first commit, or where the repository keeps references another way.
 */
export function gitHead(projectRoot: string): string | null {
  try {
    const gitDir = gitDirIn(projectRoot);
    return gitDir === null ? null : headOf(gitDir);
  } catch {
    // The commit is only shown to people, so an unreadable repository stops nothing.
    return null;
  }
}

/** As `gitHead`, for a git directory that is known already. Throws where the disk fails. */
export function headOf(gitDir: string): string | null {
  const head = readGitText(join(gitDir, 'HEAD'));
  const ref = /^ref: (refs\/[^\0\n]+)$/.exec(head ?? '')?.[1];
  if (ref === undefined) return commitIn(head);
  const common = commonDirOf(gitDir);
  return commitIn(readGitText(join(common, ref))) ?? packedRef(common, ref);
}

function packedRef(common: string, ref: string): string | null {
  const line = readGitText(join(common, 'packed-refs'))
    ?.split('\n')
    .find((entry) => entry.endsWith(` ${ref}`));
  return commitIn(line?.split(' ')[0] ?? null);
}

function commitIn(text: string | null): string | null {
  return text !== null && /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(text) ? text : null;
}

/** The git directory of a worktree with this top; null where ".git" neither is nor names one. */
function gitDirIn(folder: string): string | null {
  const dotGit = join(folder, '.git');
  if (isGitDir(dotGit)) return dotGit;
  const pointer = /^gitdir: ([^\0]+)$/.exec(readGitText(dotGit) ?? '')?.[1];
  if (pointer === undefined) return null;
  const gitDir = resolve(folder, pointer);
  return isGitDir(gitDir) ? gitDir : null;
}

function commonDirOf(gitDir: string): string {
  return resolve(gitDir, readGitText(join(gitDir, 'commondir')) ?? '.');
}

function isGitDir(folder: string): boolean {
  try {
    return lstatSync(join(folder, 'HEAD'), { throwIfNoEntry: false }) !== undefined;
  } catch {
    // The folder may not be read, or it is a link that leads nowhere.
    return false;
  }
}

function deviceOf(folder: string): bigint {
  return statSync(folder, { bigint: true }).dev;
}

// No text file of git comes near this size; a hostile repository may have a larger one.
const MAX_BYTES = 64 * 1024 * 1024;

/** The text of one of git's own files without its last line ends; null where there is none to read. */
function readGitText(path: string): string | null {
  const bytes = readFileOrNull(path, { followLink: true, maxBytes: MAX_BYTES });
  if (bytes === null) return null;
  return Buffer.from(bytes)
    .toString()
    .replace(/[\r\n]+$/, '');
}
