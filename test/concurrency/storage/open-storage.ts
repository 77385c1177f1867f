import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type BaseStorage,
  JSONStorage,
  ProjectStorage,
  SQLiteStorage,
} from '../../../src/execution/index.ts';
import { PostgresStorage } from '../../../src/store/postgres/index.ts';
import { sqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { NaiveStorage } from './naive-storage.ts';

export type StorageKind =
  | 'PostgresStorage'
  | 'JSONStorage'
  | 'SQLiteStorage'
  | 'ProjectStorage'
  | 'NaiveStorage';

export const SERVER = 'server';

export interface OpenStorage {
  readonly storage: BaseStorage;
  close(): Promise<void>;
}

/** A storage as each process opens it for itself. Of PostgreSQL, the URL of the server is in a file of the place. */
export async function openStorage(kind: StorageKind, place: string): Promise<OpenStorage> {
  if (kind === 'ProjectStorage') {
    const store = await sqliteStore({ directory: place });
    return { storage: new ProjectStorage({ store }), close: () => store.close() };
  }
  if (kind === 'PostgresStorage') {
    const url = readFileSync(join(place, SERVER), 'utf8');
    const storage = new PostgresStorage({ url, project: place });
    return { storage, close: () => storage.close() };
  }
  const make = {
    JSONStorage: () => new JSONStorage('shared', place),
    SQLiteStorage: () => new SQLiteStorage('shared', place),
    NaiveStorage: () => new NaiveStorage(place),
  };
  return { storage: make[kind](), close: async () => undefined };
}
