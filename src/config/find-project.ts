import { userInfo } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { exists, realPathOrNull } from '../fs/entries.ts';
import { SavepointError, storeDirectory } from '../index.ts';

/** Where somebody stands, and what they named. */
interface Standing {
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

/** The parts of the process that decide where things are kept. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeDirectory: string;
  readonly platform: NodeJS.Platform;
}

/** The environment for programs that we start: whoever has the URL of the database can delete timelines. */
export function withoutCredentials({
  SAVEPOINT_DATABASE_URL: _,
  ...env
}: Surroundings['env']): Surroundings['env'] {
  return env;
}

/**
 * The user's home: HOME, or what the system has on file. An empty or relative HOME would make the current
 * folder the home, and a stranger's project would pass for the user's own settings.
 */
export function homeDirectory({ HOME }: { readonly HOME?: string | undefined }): string {
  return HOME !== undefined && isAbsolute(HOME) ? HOME : userInfo().homedir;
}

/** Where all stores of this user live. The one place that knows. */
export function storeHome({ env, homeDirectory, platform }: Surroundings): string {
  const chosen = env.SAVEPOINT_HOME;
  if (chosen) {
    // A relative one would mean another place in every folder.
    if (!isAbsolute(chosen)) {
      throw new SavepointError('argument-invalid', 'SAVEPOINT_HOME must be an absolute path');
    }
    return chosen;
  }
  // The XDG specification says that a relative one counts as not set.
  const data = env.XDG_DATA_HOME;
  if (data && isAbsolute(data)) return join(data, 'savepoint');
  return platform === 'darwin'
    ? join(homeDirectory, 'Library', 'Application Support', 'savepoint')
    : join(homeDirectory, '.local', 'share', 'savepoint');
}

/** The user's own configuration of the engine. */
export function userFile({ env, homeDirectory }: Surroundings): string {
  const chosen = env.XDG_CONFIG_HOME;
  // The XDG specification says that a relative one counts as not set.
  const folder = chosen && isAbsolute(chosen) ? chosen : join(homeDirectory, '.config');
  return join(folder, 'savepoint', 'config.json');
}

/**
 * As `userFile`, where neither HOME nor XDG_CONFIG_HOME may say where that is. Null for a user whom the system does
 * not know, as in some containers.
 */
export function accountFile(): string | null {
  try {
    return join(userInfo().homedir, '.config', 'savepoint', 'config.json');
  } catch {
    return null;
  }
}
