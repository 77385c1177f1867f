import { existsSync, lstatSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { PinnedFolder } from '../../fs/pinned-folder.ts';
import { namesIn } from '../../fs/tree.ts';
import { syncPath } from '../../fs/write-file.ts';
import { SavepointError } from '../../model/errors.ts';
import { storeFailure } from '../sqlite/connection.ts';
import { checkText, documentClash } from './base-storage.ts';
import { fileNameOf, foldedName } from './json/file-name.ts';

/** The place of a project's documents: a base directory, and the names of the folders below it. */
export interface ProjectPlace {
  readonly baseDir: string;
  readonly names: readonly string[];
}

/** `~/.cache/tiny-claude-code`, where other programs of this layout keep their documents too. */
const DEFAULT_BASE_DIR = join('~', '.cache', 'tiny-claude-code');

/**
 * Where the documents of a project are. A `~` at the beginning is the home directory that the environment
 * names: this is the only place of the library that asks for it, and only for callers who pass no absolute
 * path.
 */
export function placeOfProject(
  projectName: string,
  baseDir: string = DEFAULT_BASE_DIR,
): ProjectPlace {
  checkText('projectName', projectName);
  if (checkText('baseDir', baseDir) === '' || baseDir.includes('\0')) {
    throw new SavepointError('argument-invalid', 'baseDir must name a folder');
  }
  const names = ['projects', fileNameOf(projectName)];
  return { baseDir: resolve(withHome(baseDir)), names };
}

function withHome(path: string): string {
  if (path !== '~' && !path.startsWith('~/')) return path;
  const home = homedir();
  if (!isAbsolute(home)) {
    const hint = 'pass baseDir, or set HOME';
    throw new SavepointError('argument-invalid', 'there is no home directory', { hint });
  }
  return join(home, path.slice(1));
}

/**
 * Walks down through no link from `start`, which the caller vouches for. Where a folder is missing, `find`
 * returns null and `make` makes and syncs it. `make-sure` syncs folders that exist, too.
 */
export function walkDown(
  start: string,
  names: readonly string[],
  how: 'find' | 'make' | 'make-sure',
): PinnedFolder | null {
  if (!existsSync(start)) return null;
  let folder: PinnedFolder | null = PinnedFolder.at(start, 'follow-link');
  for (const name of names) {
    const above: PinnedFolder = folder;
    folder = using(above, () => step(above, name, how));
    if (folder === null) return null;
  }
  return folder;
}

function step(
  above: PinnedFolder,
  name: string,
  how: 'find' | 'make' | 'make-sure',
): PinnedFolder | null {
  if (how === 'make-sure') syncPath(above.self());
  if (!isThereExactly(above, name)) {
    if (how === 'find') return null;
    refuseTwin(above, name);
    above.makeChild(name);
    syncPath(above.self());
  }
  const found = above.child(name);
  // Another process may have removed it just now, which is no file in its place.
  const entry = found ?? lstatSync(above.entry(name), { throwIfNoEntry: false });
  if (found === null && entry !== undefined) throw notAFolder(name);
  return found;
}

/** Whether a folder has an entry of exactly this name. A disk may find another that reads alike. */
export function isThereExactly(folder: PinnedFolder, name: string): boolean {
  const isThere = (one: string): boolean =>
    lstatSync(folder.entry(one), { throwIfNoEntry: false }) !== undefined;
  if (!isThere(name)) return false;
  // Only a disk that does not tell letters apart finds it in the other case, too.
  const isPlain = /^[\x20-\x7e]*$/.test(name) && !isThere(inOtherCase(name));
  return isPlain || inOtherCase(name) === name || namesIn(folder.self()).includes(name);
}

function inOtherCase(name: string): string {
  return name.toLowerCase() === name ? name.toUpperCase() : name.toLowerCase();
}

/** Throws `document-clash` where a new name would be that of another entry on some disks. */
export function refuseTwin(folder: PinnedFolder, name: string): void {
  const folded = foldedName(name);
  for (const other of namesIn(folder.self())) {
    if (other !== name && foldedName(other) === folded) throw documentClash(name, other);
  }
}

export function using<Result>(
  folder: PinnedFolder,
  work: (folder: PinnedFolder) => Result,
): Result {
  try {
    return work(folder);
  } finally {
    folder.close();
  }
}

function notAFolder(name: string): SavepointError {
  return new SavepointError('store-failed', 'a file is where a folder of documents should be', {
    path: name,
  });
}

/** SQLite would follow a link, and make a database of the file behind it. */
export function refuseLink(path: string): void {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  const message = 'a link is where a file of documents should be';
  throw new SavepointError('store-failed', message, { path });
}

/** Gives errors of the file system a code, because callers branch on codes. */
export function typed<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw storeFailure(withoutDescriptor(error));
  }
}

/** Takes the number of a descriptor, which is closed by now, out of the path in a message. */
function withoutDescriptor(error: unknown): unknown {
  if (error instanceof Error && !(error instanceof SavepointError)) {
    error.message = error.message.replaceAll(/\/proc\/self\/fd\/\d+\//g, '');
  }
  return error;
}
