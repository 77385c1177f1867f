import { isAbsolute, join } from 'node:path';
import type { Io } from './io.ts';
import { UsageError } from './usage-error.ts';

/** Where all stores of this user live. The one place that knows. */
export function storeHome({ env, homeDirectory, platform }: Io): string {
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
