import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { storeDirectory } from '../index.ts';
import type { Call } from './command.ts';
import { storeHome } from './store-home.ts';

/**
 * The project that a command is about: the one named, or around the current folder the nearest that
 * was recorded before, else the git worktree, else the folder itself.
 */
export function findProject({ io, values }: Call): string {
  const named = values.get('project');
  if (named !== undefined) return resolve(io.cwd, named);
  const folders = foldersUp(io.cwd);
  const home = storeHome(io);
  return (
    folders.find((folder) => existsSync(storeDirectory(home, folder))) ??
    folders.find((folder) => isWorktree(folder, io.homeDirectory)) ??
    io.cwd
  );
}

function foldersUp(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersUp(above)];
}

/** Some keep their whole home directory in git; that makes it no project. */
function isWorktree(folder: string, homeDirectory: string): boolean {
  return existsSync(join(folder, '.git')) && folder !== realPathOr(homeDirectory);
}

function realPathOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
