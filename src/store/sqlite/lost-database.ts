import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SavepointError } from '../../model/errors.ts';
import { filesIn } from './files-in.ts';
import type { Layout } from './layout.ts';

/** Refuses a folder whose database is gone: a new one in its place would hide that there was one. */
export function refuseLostDatabase({ database, damaged, directory }: Layout): void {
  const wasRepaired = filesIn(damaged).some((name) => existsSync(join(damaged, name, 'store.db')));
  if (!wasRepaired && !existsSync(`${database}-wal`)) return;
  throw new SavepointError('store-corrupt', 'the database of the store is gone', {
    path: directory,
    hint: 'see what can be saved with: savepoint fsck --repair',
  });
}
