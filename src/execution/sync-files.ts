import { pinParentOrNull } from '../fs/pinned-folder.ts';
import { type SyncTarget, syncTogether } from '../fs/sync-together.ts';
import { isSavepointError } from '../model/errors.ts';
import { nameOf, type TrackedPath } from '../model/path.ts';
import type { ExecutionSite } from './execution-site.ts';

/** What is on record as done must be on disk: files first, then their names. */
export async function syncFiles(
  { files }: ExecutionSite,
  paths: Iterable<TrackedPath>,
): Promise<void> {
  const all = [...new Set(paths)];
  await syncTogether(
    all.map((path) => target(files.root, path, (folder, name) => folder.openToSync(name))),
  );
  await syncTogether(all.map((path) => target(files.root, path, (folder) => folder.openSelf())));
}

type Folder = NonNullable<ReturnType<typeof pinParentOrNull>>;

function target(
  root: string,
  path: TrackedPath,
  open: (folder: Folder, name: string) => number | null,
): SyncTarget {
  return { path, open: () => opened(root, path, open) };
}

/** Null for what is gone: there is nothing to sync but its name, in the folder that had it. */
function opened(
  root: string,
  path: TrackedPath,
  open: (folder: Folder, name: string) => number | null,
): number | null {
  const folder = pinParentOrNull(root, path);
  if (folder === null) return null;
  try {
    return open(folder, nameOf(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (isSavepointError(error) || code === 'ENOENT' || code === 'ELOOP' || code === 'ENXIO')
      return null;
    throw error;
  } finally {
    folder.close();
  }
}
