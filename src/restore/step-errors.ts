import { isSavepointError } from '../model/errors.ts';
import type { TrackedPath } from '../model/path.ts';

/** A folder that somebody filled, removed or replaced since is theirs. */
export function isTheirs(error: unknown): boolean {
  const gone = isSavepointError(error, 'plan-stale') || isSavepointError(error, 'symlinked-parent');
  return gone || hasCode(error, ['ENOTEMPTY', 'ENOTDIR', 'EEXIST']);
}

/** The file system will not have it, now or in a minute: a matter for the owner of the path. */
export function isRefused(error: unknown): boolean {
  return hasCode(error, ['EACCES', 'EPERM', 'EROFS', 'EBUSY', 'EXDEV']);
}

export function hasNoRoom(error: unknown): boolean {
  return hasCode(error, ['ENOSPC', 'EDQUOT']);
}

function hasCode(error: unknown, codes: readonly string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException).code ?? '');
}

/** Runs `work`, whose errors shall name the path: node knows only the descriptor we went through. */
export function about<T>(path: TrackedPath, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error) {
      error.message = error.message.replace(/'\/proc\/self\/fd\/.*'$/s, `'${path}'`);
    }
    throw error;
  }
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
