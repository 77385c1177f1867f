import { type BaseStorage, JSONStorage, SQLiteStorage } from '../../../src/execution/index.ts';
import { sqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { NaiveStorage } from './naive-storage.ts';

export type StorageKind = 'JSONStorage' | 'SQLiteStorage' | 'NaiveStorage';

export interface OpenStorage {
  readonly storage: BaseStorage;
  close(): Promise<void>;
}

/** A storage as each process opens it for itself. */
export async function openStorage(kind: StorageKind, place: string): Promise<OpenStorage> {
  if (kind === 'SQLiteStorage') {
    const store = await sqliteStore({ directory: place });
    return { storage: new SQLiteStorage({ store }), close: () => store.close() };
  }
  const storage =
    kind === 'JSONStorage'
      ? new JSONStorage({ projectName: 'shared', baseDir: place })
      : new NaiveStorage(place);
  return { storage, close: async () => undefined };
}
