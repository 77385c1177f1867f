import {
  type BaseStorage,
  JSONStorage,
  ProjectStorage,
  SQLiteStorage,
} from '../../../src/execution/index.ts';
import { sqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { NaiveStorage } from './naive-storage.ts';

export type StorageKind = 'JSONStorage' | 'SQLiteStorage' | 'ProjectStorage' | 'NaiveStorage';

export interface OpenStorage {
  readonly storage: BaseStorage;
  close(): Promise<void>;
}

/** A storage as each process opens it for itself. */
export async function openStorage(kind: StorageKind, place: string): Promise<OpenStorage> {
  if (kind === 'ProjectStorage') {
    const store = await sqliteStore({ directory: place });
    return { storage: new ProjectStorage({ store }), close: () => store.close() };
  }
  const make = {
    JSONStorage: () => new JSONStorage('shared', place),
    SQLiteStorage: () => new SQLiteStorage('shared', place),
    NaiveStorage: () => new NaiveStorage(place),
  };
  return { storage: make[kind](), close: async () => undefined };
}
