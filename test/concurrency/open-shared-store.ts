import { type Store, sqliteStore, storeDirectory } from '../../src/index.ts';
import { postgresStore } from '../../src/store/postgres/index.ts';

/** A project on a server, which several machines may have. */
export interface ServerProject {
  readonly url: string;
  readonly name: string;
}

/** The store of a project as each process opens it: in a folder below its home, or on a server. */
export function openSharedStore(
  project: string,
  home: string,
  server: ServerProject | null,
): Promise<Store> {
  const directory = storeDirectory(home, project);
  if (server === null) return sqliteStore({ directory });
  return postgresStore({ url: server.url, project: server.name, directory });
}
