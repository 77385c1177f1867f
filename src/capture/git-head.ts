import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * The commit that git's HEAD names, read from its files: no program is started, nothing is written.
 * Null without git, before the first commit, or where the repository keeps references another way.
 */
export function gitHead(projectRoot: string): string | null {
  const gitDir = findGitDir(projectRoot);
  if (gitDir === null) return null;
  const head = read(join(gitDir, 'HEAD'));
  const ref = /^ref: (refs\/[^\0\n]+)$/.exec(head ?? '')?.[1];
  if (ref === undefined) return commitIn(head);
  const common = resolve(gitDir, read(join(gitDir, 'commondir')) ?? '.');
  return commitIn(read(join(common, ref))) ?? packedRef(common, ref);
}

function findGitDir(projectRoot: string): string | null {
  const dotGit = join(projectRoot, '.git');
  const stats = statSync(dotGit, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return dotGit;
  const pointer = /^gitdir: ([^\0\n]+)$/.exec(read(dotGit) ?? '')?.[1];
  return pointer === undefined ? null : resolve(projectRoot, pointer);
}

function packedRef(common: string, ref: string): string | null {
  const line = read(join(common, 'packed-refs'))
    ?.split('\n')
    .find((entry) => entry.endsWith(` ${ref}`));
  return commitIn(line?.split(' ')[0] ?? null);
}

function commitIn(text: string | null): string | null {
  return text !== null && /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(text) ? text : null;
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trimEnd();
  } catch {
    return null;
  }
}
