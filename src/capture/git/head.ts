import { join } from 'node:path';
import { commonDirOf, gitDirIn } from './find-repository.ts';
import { readOwnText } from './own-text.ts';

/**
 * The commit that git's HEAD names, read from its files: no program is started, nothing is written.
 * Null without git, before the first commit, or where the repository keeps references another way.
 */
export function gitHead(projectRoot: string): string | null {
  try {
    const gitDir = gitDirIn(projectRoot);
    return gitDir === null ? null : headOf(gitDir);
  } catch {
    // Nothing that a person asked for depends on it.
    return null;
  }
}

/** As `gitHead`, for a git directory that is known already. Throws where the disk fails. */
export function headOf(gitDir: string): string | null {
  const head = readOwnText(join(gitDir, 'HEAD'));
  const ref = /^ref: (refs\/[^\0\n]+)$/.exec(head ?? '')?.[1];
  if (ref === undefined) return commitIn(head);
  const common = commonDirOf(gitDir);
  return commitIn(readOwnText(join(common, ref))) ?? packedRef(common, ref);
}

function packedRef(common: string, ref: string): string | null {
  const line = readOwnText(join(common, 'packed-refs'))
    ?.split('\n')
    .find((entry) => entry.endsWith(` ${ref}`));
  return commitIn(line?.split(' ')[0] ?? null);
}

function commitIn(text: string | null): string | null {
  return text !== null && /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(text) ? text : null;
}
