import { hash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { isOnOverlay, realPathOrNull, statOf } from '../fs/entries.ts';
import { SavepointError } from '../model/errors.ts';
import type { ProjectIdentity } from '../store/store.ts';

/** A worktree that exists, with its real path. */
export interface Project {
  readonly root: string;
  readonly identity: ProjectIdentity;
}

/**
 * Resolves the folder of a project. Refuses the root of the file system and the folders in `refused` (the
 * caller passes the home directory): a rewind there would reach too far.
 */
export function openProject(path: string, refused: readonly string[] = []): Project {
  const root = realPathOf(path);
  const stats = lookAt(root);
  if (!stats.isDirectory()) throw missing(path, 'the project is not a folder');
  if (root === '/' || refused.some((folder) => realPathOrNull(folder) === root)) {
    throw new SavepointError('project-refused', `${root} cannot be a project: ${TOO_MUCH}`, {
      path: root,
      hint: 'choose the folder of one project with --project DIR',
    });
  }
  return { root, identity: identityOf(root, stats) };
}

/** `root` is a real path, and `stats` are of its folder. */
export function identityOf(root: string, stats: ReturnType<typeof statOf>): ProjectIdentity {
  return { root, inode: String(stats.ino), birthtimeNs: String(stats.birthtimeNs) };
}

const TOO_MUCH =
  'it holds the settings, keys and data of other programs, and a rewind would reach into them';

function lookAt(root: string): ReturnType<typeof statOf> {
  try {
    return statOf(root);
  } catch (cause) {
    throw new SavepointError('project-missing', 'the project folder cannot be looked at', {
      path: root,
      cause,
    });
  }
}

export function isSameProject(known: ProjectIdentity, found: ProjectIdentity): boolean {
  return hasSamePlace(known, found) && known.birthtimeNs === found.birthtimeNs;
}

/**
 * Whether the folder may be the same one although it seems to be younger. A folder of a lower layer of
 * overlayfs, as in every container image, is copied into the upper layer when something in it changes for the
 * first time, and the copy has a birth time of its own.
 */
export function mayBeCopiedUp(known: ProjectIdentity, found: ProjectIdentity): boolean {
  const isYounger = BigInt(known.birthtimeNs) < BigInt(found.birthtimeNs);
  return hasSamePlace(known, found) && isYounger && isOnOverlay(found.root);
}

function hasSamePlace(known: ProjectIdentity, found: ProjectIdentity): boolean {
  return known.root === found.root && known.inode === found.inode;
}

/** The error for a folder that is not the one that the store was made for. */
export function mismatch(known: ProjectIdentity, found: ProjectIdentity): SavepointError {
  return new SavepointError(
    'project-mismatch',
    `${found.root} is not the folder that this timeline was recorded in`,
    {
      path: found.root,
      hint: 'if you re-created it on purpose, run: savepoint adopt',
      details: { known, found },
    },
  );
}

/** The real location of a path, with links resolved. Its end need not exist yet. */
export function realLocation(path: string): string {
  return realPathOrNull(path) ?? join(realLocation(dirname(path)), basename(path));
}

function realPathOf(path: string): string {
  const real = path.includes('\0') ? null : realPathOrNull(path);
  if (real === null) throw missing(path);
  return real;
}

function missing(path: string, message = 'the project folder does not exist'): SavepointError {
  return new SavepointError('project-missing', message, {
    path,
    hint: 'name an existing folder with --project DIR',
  });
}

/** The folder of a project's store below `home`. */
export function storeDirectory(home: string, projectRoot: string): string {
  return join(home, 'projects', hash('sha256', projectRoot).slice(0, 24));
}

/** The real path of `home`. Throws if it is inside the project: the store would record itself. */
export function homeOf(project: Project, home: string): string {
  if (home === '' || home.includes('\0')) {
    throw new SavepointError('argument-invalid', 'home must name a folder');
  }
  const real = realLocation(home);
  if (!`${real}/`.startsWith(`${project.root}/`)) return real;
  throw new SavepointError('argument-invalid', 'the store must not be inside the project', {
    path: home,
    hint: 'set SAVEPOINT_HOME to a folder outside of it',
  });
}
