import { isAbsolute, join } from 'node:path';
import { UsageError } from './usage-error.ts';

/** Whose process it is and where it runs: what says where things are kept. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeDirectory: string;
  readonly platform: NodeJS.Platform;
}

/** Where all stores of this user live. The one place that knows. */
export function storeHome({ env, homeDirectory, platform }: Surroundings): string {
  const chosen = env.SAVEPOINT_HOME;
  if (chosen) {
    // A relative one would mean another place in every folder.
    if (!isAbsolute(chosen)) throw new UsageError('SAVEPOINT_HOME must be an absolute path');
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
