import { kindOf, linkTarget, realPathBytes } from '../fs/entries.ts';
import { isSavepointError, SavepointError } from '../model/errors.ts';
import {
  bytesToPath,
  outsidePath,
  pathText,
  pathToBytes,
  relativePath,
  type TrackedPath,
} from '../model/path.ts';

const MAX_LINKS = 40;
// EINVAL: the entry was a link and is none any more.
const OUT_OF_REACH = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'ENAMETOOLONG', 'EINVAL'];

/**
 * The entries that a write to `named` can touch. A tool may name a path in any way: relative, absolute,
 * through links. So the folders on the way are resolved, and a final link gives two entries: the link
 * itself and its target.
 */
export function resolveNamed(projectRoot: string, named: string | Uint8Array): TrackedPath[] {
  const text = pathText(named);
  let place = realPlace(text.startsWith('/') ? text : `${projectRoot}/${text}`);
  const found = [trackedPath(projectRoot, place)];
  // The kernel has the same limit.
  for (let links = 0; links < MAX_LINKS; links += 1) {
    const next = behindLink(projectRoot, place);
    // A circle of links has no target, but the links themselves can be replaced.
    if (next === null || found.includes(next.path)) break;
    found.push(next.path);
    place = next.place;
  }
  return found;
}

/** The target of the link at `place`; null when it is no link, or its target cannot be recorded. */
function behindLink(
  projectRoot: string,
  place: string,
): { readonly place: string; readonly path: TrackedPath } | null {
  const target = behind(place);
  if (target === null) return null;
  try {
    const next = realPlace(target);
    return { place: next, path: trackedPath(projectRoot, next) };
  } catch (error) {
    if (isSavepointError(error)) return null;
    throw error;
  }
}

/** Turns an absolute path with real folders into a path of the project, or one outside. */
function trackedPath(projectRoot: string, place: string): TrackedPath {
  const prefix = `${projectRoot}/`;
  if (place.startsWith(prefix)) return relativePath(pathToBytes(place.slice(prefix.length)));
  // All entries of a named folder are recorded: the project's own files would be on record twice.
  if (prefix.startsWith(place === '/' ? place : `${place}/`)) {
    throw new SavepointError('path-invalid', 'the path is the project folder or one above it', {
      path: place,
      hint: 'name a file or folder below it',
    });
  }
  return outsidePath(pathToBytes(place));
}

/** Resolves every folder of an absolute path, keeping the last name as it is. */
function realPlace(path: string): string {
  const trimmed = path.replace(/\/+$/, '');
  const slash = trimmed.lastIndexOf('/');
  const name = trimmed.slice(slash + 1);
  if (name === '..' || name === '.') return realPlace(`${realFolder(trimmed)}`);
  const folder = realFolder(trimmed.slice(0, slash) || '/');
  return folder === '/' ? `/${name}` : `${folder}/${name}`;
}

/** The real path of a folder. Folders at its end that do not exist yet stay as they are. */
function realFolder(path: string): string {
  const real = realPathOrNull(path);
  if (real !== null) return real;
  const slash = path.lastIndexOf('/');
  const name = path.slice(slash + 1);
  if (name === '..') {
    throw new SavepointError(
      'path-escapes-root',
      'a path goes up from a folder that is not there',
      {
        path,
      },
    );
  }
  const above = realFolder(path.slice(0, slash) || '/');
  if (name === '' || name === '.') return above;
  return above === '/' ? `/${name}` : `${above}/${name}`;
}

function realPathOrNull(path: string): string | null {
  try {
    return bytesToPath(realPathBytes(bufferOf(path)));
  } catch (error) {
    if (isOutOfReach(error)) return null;
    throw error;
  }
}

/** Where the link at `place` points, as an absolute path; null when it is no link. */
function behind(place: string): string | null {
  try {
    if (kindOf(bufferOf(place)) !== 'symlink') return null;
    const target = bytesToPath(linkTarget(bufferOf(place)));
    if (target.startsWith('/')) return target;
    return `${place.slice(0, place.lastIndexOf('/'))}/${target}`;
  } catch (error) {
    // An entry that cannot be looked at is not followed; the capture says why it is unreadable.
    if (isOutOfReach(error)) return null;
    throw error;
  }
}

/** Missing, or not accessible. A failing disk is neither: the target of a link would be left out. */
function isOutOfReach(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return OUT_OF_REACH.includes(code);
}

function bufferOf(path: string): Buffer {
  return Buffer.from(pathToBytes(path));
}
