import { type BaseStorage, JSONStorage } from '../../../src/execution/index.ts';
import { NaiveStorage } from './naive-storage.ts';

export type StorageKind = 'json' | 'naive';

export interface OpenStorage {
  readonly storage: BaseStorage;
  close(): Promise<void>;
}

/** A storage as each process opens it for itself. */
export async function openStorage(kind: StorageKind, place: string): Promise<OpenStorage> {
  const projectName = 'shared';
  const storage =
    kind === 'json' ? new JSONStorage({ projectName, baseDir: place }) : new NaiveStorage(place);
  return { storage, close: async () => undefined };
}
