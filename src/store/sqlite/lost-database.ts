import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { syncPath } from '../../fs/write-file.ts';
import { SavepointError } from '../../model/errors.ts';
import { filesIn } from './files-in.ts';
import type { Layout } from './layout.ts';

/** Refuses a folder whose database is gone: a new one in its place would hide that there was one. */
export function refuseLostDatabase(layout: Layout): void {
  if (!existsSync(`${layout.database}-wal`) && lastSetAside(layout) === null) return;
  throw new SavepointError('store-corrupt', 'the database of the store is gone', {
    path: layout.directory,
    hint: 'see what can be saved with: savepoint fsck --repair',
  });
}

/** Takes back what a repair had set aside and never replaced. */
export function takeBackDatabase(layout: Layout): void {
  const folder = existsSync(layout.database) ? null : lastSetAside(layout);
  if (folder === null) return;
  // The database last: with its name it has its log.
  for (const suffix of ['-shm', '-wal', '']) {
    const [from, to] = [join(folder, `store.db${suffix}`), layout.database + suffix];
    if (existsSync(from) && !existsSync(to)) renameSync(from, to);
  }
  syncPath(layout.directory);
}

/** The folder of the last repair that set a database aside. */
function lastSetAside({ damaged }: Layout): string | null {
  const folders = filesIn(damaged)
    .filter((name) => existsSync(join(damaged, name, 'store.db')))
    .sort((one, other) => Number(other) - Number(one));
  return folders[0] === undefined ? null : join(damaged, folders[0]);
}
