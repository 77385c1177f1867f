import { userInfo } from 'node:os';
import { isAbsolute } from 'node:path';

/**
 * The user's home: HOME, or what the system has on file. An empty or relative HOME would make the current
 * folder the home, and a stranger's project would pass for the user's own settings.
 */
export function homeDirectory({ HOME }: { readonly HOME?: string | undefined }): string {
  return HOME !== undefined && isAbsolute(HOME) ? HOME : userInfo().homedir;
}
