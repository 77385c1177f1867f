import { type Store, sqliteStore, storeDirectory } from '../../src/index.ts';
import { postgresStore } from '../../src/store/postgres/index.ts';

/** The store of a project as each process opens it: in a folder below its home, or on a server. */
export function openSharedStore(
  project: string,
  home: string,
  server: string | null,
): Promise<Store> {
  if (server !== null) return postgresStore({ url: server, project });
  return sqliteStore({ directory: storeDirectory(home, project) });
}
