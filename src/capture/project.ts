import { realpathSync, statSync } from 'node:fs';
import { SavepointError } from '../model/errors.ts';
import type { ProjectIdentity } from '../store/store.ts';

/** A worktree that exists, by its real path. */
export interface Project {
  readonly root: string;
  readonly identity: ProjectIdentity;
}

/**
 * Finds out which folder a path names. Refuses the root of the file system and any folder of
 * `refused` (the home directory, as the caller knows it): a rewind there would reach too far.
 */
export function openProject(path: string, refused: readonly string[] = []): Project {
  const root = realPathOf(path);
  const stats = statSync(root, { bigint: true });
  if (!stats.isDirectory()) throw missing(path);
  if (root === '/' || refused.some((folder) => realPathOrNull(folder) === root)) {
    throw new SavepointError('project-refused', `${root} cannot be a project`, {
      path: root,
      hint: 'choose the folder of one project with --project DIR',
    });
  }
  const inode = String(stats.ino);
  return { root, identity: { root, inode, birthtimeNs: String(stats.birthtimeNs) } };
}

/** Whether a store that was made for `known` may serve `found`. */
export function checkIdentity(known: ProjectIdentity, found: ProjectIdentity): void {
  const same =
    known.root === found.root &&
    known.inode === found.inode &&
    known.birthtimeNs === found.birthtimeNs;
  if (same) return;
  throw new SavepointError(
    'project-mismatch',
    `${found.root} is not the folder that this timeline was recorded in`,
    {
      path: found.root,
      hint: 'if you moved or re-created it on purpose, run: savepoint adopt',
      details: { known, found },
    },
  );
}

function realPathOf(path: string): string {
  const real = typeof path === 'string' && !path.includes('\0') ? realPathOrNull(path) : null;
  if (real === null) throw missing(path);
  return real;
}

function realPathOrNull(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}

function missing(path: string): SavepointError {
  return new SavepointError('project-missing', 'the project folder does not exist', {
    path: String(path),
    hint: 'name an existing folder with --project DIR',
  });
}
