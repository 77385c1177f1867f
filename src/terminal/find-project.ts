import { dirname, join, resolve } from 'node:path';
import { exists, realPathOrNull } from '../fs/entries.ts';
import { storeDirectory } from '../index.ts';
import { type Surroundings, storeHome } from './store-home.ts';

/** Where somebody stands, and what they named. */
export interface Standing {
  readonly io: Surroundings & { readonly cwd: string };
  readonly values: { get(name: 'project'): string | undefined };
}

/**
 * The project that a command is about: the one named, or around the current folder the nearest that
 * was recorded before, else the git worktree, else the folder itself.
 */
export function findProject({ io, values }: Standing): string {
  const named = values.get('project');
  if (named !== undefined) return resolve(io.cwd, named);
  const home = storeHome(io);
  const recorded = foldersUp(io.cwd).find((folder) => exists(storeDirectory(home, folder)));
  return recorded ?? newProject(io);
}

/** As `findProject`, for a folder that was never recorded where it stands. */
export function findNewProject({ io, values }: Standing): string {
  const named = values.get('project');
  return named === undefined ? newProject(io) : resolve(io.cwd, named);
}

function newProject({ cwd, homeDirectory }: Standing['io']): string {
  return foldersUp(cwd).find((folder) => isWorktree(folder, homeDirectory)) ?? cwd;
}

function foldersUp(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersUp(above)];
}

/** Some keep their whole home directory in git; that makes it no project. */
function isWorktree(folder: string, homeDirectory: string): boolean {
  return (
    exists(join(folder, '.git')) && folder !== (realPathOrNull(homeDirectory) ?? homeDirectory)
  );
}
