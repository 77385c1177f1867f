import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readText } from './small-file.ts';

/**
 * The commit that git's HEAD names, read from its files: no program is started, nothing is written.
 * Null without git, before the first commit, or where the repository keeps references another way.
 */
export function gitHead(projectRoot: string): string | null {
  const gitDir = gitDirOf(projectRoot);
  return gitDir === null ? null : headOf(gitDir);
}

/** As `gitHead`, for a git directory that is known already. */
export function headOf(gitDir: string): string | null {
  const head = readText(join(gitDir, 'HEAD'));
  const ref = /^ref: (refs\/[^\0\n]+)$/.exec(head ?? '')?.[1];
  if (ref === undefined) return commitIn(head);
  const common = commonDirOf(gitDir);
  return commitIn(readText(join(common, ref))) ?? packedRef(common, ref);
}

/** The git directory of a worktree whose top is `top`: in it, or where its `.git` file points. */
export function gitDirOf(top: string): string | null {
  const dotGit = join(top, '.git');
  const stats = statSync(dotGit, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return dotGit;
  const pointer = /^gitdir: ([^\0\n]+)$/.exec(readText(dotGit) ?? '')?.[1];
  return pointer === undefined ? null : resolve(top, pointer);
}

/** Where objects, references and configuration lie: linked worktrees share those of one repository. */
export function commonDirOf(gitDir: string): string {
  return resolve(gitDir, readText(join(gitDir, 'commondir')) ?? '.');
}

function packedRef(common: string, ref: string): string | null {
  const line = readText(join(common, 'packed-refs'))
    ?.split('\n')
    .find((entry) => entry.endsWith(` ${ref}`));
  return commitIn(line?.split(' ')[0] ?? null);
}

function commitIn(text: string | null): string | null {
  return text !== null && /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(text) ? text : null;
}
